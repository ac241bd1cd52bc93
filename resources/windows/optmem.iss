; Installer for Windows, made with Inno Setup 6 from the folder that build.spec made:
;   iscc /DVersion=0.1.0 resources\windows\optmem.iss
; It installs for one user and asks for no administrator. Sign with iscc /Ssign="signtool ... $f" /DSign.
#ifndef Version
  #error "Give the version: iscc /DVersion=0.1.0 optmem.iss"
#endif

[Setup]
AppId={{8C7B3F0E-6A55-4C0B-9A7D-5B1D1C3E2F74}
AppName=OptMem
AppVersion={#Version}
AppVerName=OptMem {#Version}
AppPublisher=OptMem contributors
VersionInfoVersion={#Version}
DefaultDirName={localappdata}\Programs\OptMem
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
LicenseFile=..\..\LICENSE
SetupIconFile=optmem.ico
UninstallDisplayIcon={app}\optmem-gui.exe
SourceDir=.
OutputDir=..\..\dist
OutputBaseFilename=OptMem-{#Version}-setup
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
CloseApplications=yes
#ifdef Sign
SignTool=sign
SignedUninstaller=yes
#endif

[Languages]
Name: "english"; MessagesFile: "compiler:Default.isl"

[Files]
Source: "..\..\dist\OptMem\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[InstallDelete]
; What an older version had and this one does not must not be imported.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{autoprograms}\OptMem"; Filename: "{app}\optmem-gui.exe"; AppUserModelID: "org.optmem.OptMem"

[Registry]
Root: HKCU; Subkey: "Software\Classes\.optmem"; ValueType: string; ValueData: "OptMem.Scenario"; Flags: uninsdeletevalue
Root: HKCU; Subkey: "Software\Classes\.optmem"; ValueType: string; ValueName: "Content Type"; ValueData: "application/x-optmem-scenario+json"; Flags: uninsdeletevalue
Root: HKCU; Subkey: "Software\Classes\OptMem.Scenario"; ValueType: string; ValueData: "OptMem scenario"; Flags: uninsdeletekey
Root: HKCU; Subkey: "Software\Classes\OptMem.Scenario\DefaultIcon"; ValueType: string; ValueData: "{app}\optmem-gui.exe,0"
Root: HKCU; Subkey: "Software\Classes\OptMem.Scenario\shell\open\command"; ValueType: string; ValueData: """{app}\optmem-gui.exe"" ""%1"""
; Checkpoints keep their program; OptMem is only offered under "Open with".
Root: HKCU; Subkey: "Software\Classes\Applications\optmem-gui.exe\shell\open\command"; ValueType: string; ValueData: """{app}\optmem-gui.exe"" ""%1"""; Flags: uninsdeletekey
Root: HKCU; Subkey: "Software\Classes\.safetensors\OpenWithList\optmem-gui.exe"; Flags: uninsdeletekey
Root: HKCU; Subkey: "Software\Classes\.gguf\OpenWithList\optmem-gui.exe"; Flags: uninsdeletekey

[Run]
Filename: "{app}\optmem-gui.exe"; Description: "{cm:LaunchProgram,OptMem}"; Flags: nowait postinstall skipifsilent

[UninstallDelete]
; What the user's Python compiled; settings and logs of the user stay.
Type: filesandordirs; Name: "{app}\_internal\worker_files"
