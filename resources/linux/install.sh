#!/bin/sh
# Makes this folder's OptMem known to the desktop of the user who runs it; nothing outside their home changes.
# With --remove it is forgotten again. The folder itself stays where it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-"$HOME/.local/share"}
id=org.optmem.OptMem

if [ "${1:-}" = --remove ]; then
    rm -f "$HOME/.local/bin/optmem" "$data/applications/$id.desktop" "$data/metainfo/$id.metainfo.xml" \
        "$data/mime/packages/$id.xml" "$data"/icons/hicolor/*/apps/$id.png "$data/icons/hicolor/scalable/apps/$id.svg"
else
    mkdir -p "$HOME/.local/bin" "$data/applications"
    cp -R "$here/share/." "$data/"
    ln -sf "$here/optmem" "$HOME/.local/bin/optmem"
    # A desktop does not always search ~/.local/bin, so the entry names the program in full.
    quoted=$(printf %s "$here/optmem" | sed 's/[\\"`$]/\\\\&/g; s/%/%%/g')
    awk -v program="$quoted" '/^Exec=/ { print "Exec=\"" program "\" %f"; next } { print }' \
        "$here/share/applications/$id.desktop" > "$data/applications/$id.desktop"
fi
for update in "update-desktop-database -q $data/applications" "update-mime-database $data/mime" \
    "gtk-update-icon-cache -q -t $data/icons/hicolor"; do
    if command -v "${update%% *}" > /dev/null; then $update || true; fi
done
