<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
 <context>
  <name>AboutDialog</name>
  <message>
   <source>About OptMem</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copy</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How much GPU memory training takes, where it goes, and whether it fits. The program works offline: nothing leaves this computer.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Versions and licences</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>Actions</name>
  <message>
   <source>&amp;About OptMem</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Copy table</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Dark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Edit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Export</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;File</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Help</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Light</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Measure</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Open...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Quit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Reset window layout</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Run</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Save</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Theme</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Undo</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;View</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>As the &amp;system</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copy the breakdown for a spreadsheet, a document or a web page</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Make the edit again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open &amp;folder...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open &amp;recent</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open a checkpoint, a config.json or a saved scenario</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open a folder that holds a model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Put every panel back to its first size</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Run real training steps in a process of their own and watch the memory</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>S&amp;top</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save &amp;as...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save a picture of the results</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save a scalable picture of the results</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the figures in this format</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the scenario under another name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save what stands in the fields as a scenario</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Se&amp;ttings...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sizes in 10^9 bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sizes in 2^30 bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stop the measurement</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stop what runs and close the window</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Take the last edit back</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Theme, language, and how a measurement runs</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Versions and licences</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>BatchPanel</name>
  <message>
   <source>&amp;Attention</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Batch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Free gradients after the step</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Loss</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Sequence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Acc&amp;umulation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Activation chec&amp;kpointing</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Batch and activations</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Clip gradients by &amp;norm</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How logits and cross-entropy are computed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kernel of the attention; eager keeps the whole score matrix</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Loop keeps the l&amp;ogits</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Micro-batches whose gradients are summed before a step</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sequences in one micro-batch; empty leaves activations out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The training loop holds a reference to the logits through the optimizer step</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tokens in one sequence</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What is kept for backward, and what is computed again instead</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>activations not counted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>attention only</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>automatic</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>chunked</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>clip_grad_norm_ runs before the optimizer step</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>every {number} layers</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>full logits</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>full: every layer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fused linear</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>memory-efficient</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>zero_grad(set_to_none=True), the default; off keeps them in memory as zeros</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>BreakdownModel</name>
  <message>
   <source>B/param</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Bytes for each parameter of the whole model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Component</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Element types it is made of</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Formula and why</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How the number was made, and why it exists</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Its part of the peak on the GPU; the parts add up to the peak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Its share of the peak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Largest size in a steady step, host memory included</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Peak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What the memory is for</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>allocated at once, in this phase: {phase}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>at peak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>at peak, bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>dtype</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not counted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>share</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{size}, {count} bytes</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>BreakdownPanel</name>
  <message>
   <source>About the selected component</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Breakdown</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Largest {size} ({count} bytes); at the peak {at_peak} ({at_peak_count} bytes)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Memory by component</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>per GPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>per GPU; empty rows hidden: {count}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{size} of it lives in host memory ({count} bytes)</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>ComparisonModel</name>
  <message>
   <source>Optimizer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>chosen</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>does not fit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fits</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not possible here</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>peak</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>peak, bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>same</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>state</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>state, bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>temporaries</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>temporaries, bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>tight</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>to now</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer}: peak {peak} ({count} bytes) in {phase}; state {state}, temporaries {temporaries}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>ComparisonPanel</name>
  <message>
   <source>Compare optimizers</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Double-click or press Enter to choose an optimizer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Enter chooses the optimizer of the row</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Every optimizer on this model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Filter by name, such as Adam</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Filter the optimizers by name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>state</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>this model; line: usable {size}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>this model; {count} optimizers</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>Components</name>
  <message>
   <source>Activations</source>
   <translation>激活值</translation>
  </message>
  <message>
   <source>Autocast copies</source>
   <translation>autocast 副本</translation>
  </message>
  <message>
   <source>Buffers</source>
   <translation>缓冲区</translation>
  </message>
  <message>
   <source>Communication</source>
   <translation>通信</translation>
  </message>
  <message>
   <source>Gradients</source>
   <translation>梯度</translation>
  </message>
  <message>
   <source>Master weights</source>
   <translation>主权重</translation>
  </message>
  <message>
   <source>Optimizer state</source>
   <translation>优化器状态</translation>
  </message>
  <message>
   <source>Other models</source>
   <translation>其他模型</translation>
  </message>
  <message>
   <source>Rounding</source>
   <translation>对齐填充</translation>
  </message>
  <message>
   <source>Temporaries</source>
   <translation>临时张量</translation>
  </message>
  <message>
   <source>Weights</source>
   <translation>权重</translation>
  </message>
  <message>
   <source>Workspace</source>
   <translation>工作区</translation>
  </message>
 </context>
 <context>
  <name>Curves</name>
  <message>
   <source>device used</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>process used</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>resident in host memory</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>torch allocated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>torch reserved</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>DropFrame</name>
  <message>
   <source>Open {name}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>ErrorReport</name>
  <message>
   <source>Continue</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Copy</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>OptMem has a defect</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Report</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Something failed that should not. What you entered is still there. The text below helps to find the cause; it stays on this computer unless you copy it.</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>EstimatedPlot</name>
  <message>
   <source>peak {size}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>usable {size}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>FilePage</name>
  <message>
   <source>... and {number} more (hover to read them)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Cancel</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Chec&amp;kpoint or config.json</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Checkpoint or config.json</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Folder...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Holds the state of {optimizer}, {size}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing was loaded: {read} of {size} read.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open file...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Progress of reading the file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none: open one, or drop it here</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters in {tensors} tensors, {dtypes}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>Files</name>
  <message>
   <source>Clear list</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Open folder</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>OptMem scenario</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save scenario</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>GpuChooser</name>
  <message>
   <source>&amp;GPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>GPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The GPU that the verdict is for; type to search</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no GPU chosen</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{usable} usable of {total}; {source}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>HeadlinePanel</name>
  <message>
   <source>Context and reserve</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Does not fit: at least {missing} more than the {usable} usable on {gpu}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Fits: {free} free of {usable} usable on {gpu}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Memory at the peak, by component</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No GPU chosen: choose one to see whether this fits</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The driver will show {low} to {high} for the process</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tight: from {free} free to {missing} missing, of {usable} usable on {gpu}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Up to {size} beyond what is allocated: CUDA context, segments that the caching allocator keeps, fragmentation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>allocated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>estimated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>failed</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>measured</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not measured</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not simulated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>running</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>simulated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>starting</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>stopped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>stopping</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>usable {usable}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{error} on {device}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{peak} at the peak, between steps</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{peak} at the peak, in backward</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{peak} at the peak, in forward</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{peak} at the peak, in the optimizer step</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{peak} at the peak, while loading</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{size} at the peak ({count} bytes), {share} of it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{text} (for the last valid input)</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>LoraPanel</name>
  <message>
   <source>&amp;Targets</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adapters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Base &amp;dtype</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How the frozen base is held</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Module names separated by commas, or all-linear</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Ran&amp;k</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rank of each pair of adapter matrices</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The base is frozen: no gradients, no optimizer state</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Train Lo&amp;RA adapters only</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>int8 (LLM.int8)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>nf4 (4 bits)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>nf4, double quantized</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters are trained</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>MainWindow</name>
  <message>
   <source>&amp;Measure on CPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Measure on GPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>All figures in {unit} ({power} bytes). Offline: nothing leaves this computer.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Export</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Inputs and results</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save changes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Save the figures or a picture of them</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tool bar</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} was changed. Save it?</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>MeasuredModel</name>
  <message>
   <source>Component</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>error</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>estimated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>estimated {estimated} bytes, measured {measured} bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>estimated, bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>exact</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>measured</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>measured, bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not measured</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>peak allocated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>peak in {phase}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>peak reserved</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>MeasuredPlot</name>
  <message>
   <source>peak {size}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>seconds</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>step {number}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>usable {size}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>MeasurementPanel</name>
  <message>
   <source>Building the model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Do not measure</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Estimated and measured, by component</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure anyway</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure {count} parameters instead</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measurement</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Preparing: asking the driver what is free</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Progress of the measurement</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Starting a process of its own and importing torch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Step {step} of {steps}: {phase}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stopped</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Stopping</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Technical detail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>error = (estimated - measured) / measured, for this device and torch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on the CPU: torch's allocations, no GPU involved</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on {device}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>process {size} in host memory</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>process {size} on the GPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>torch allocated {now}, peak {peak}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters, {steps} real steps in {seconds} s with torch {torch}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>ModelPanel</name>
  <message>
   <source>&amp;Parameters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A published model; type to search</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>File</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>How many: 7B, 125M, 6.74e9 or 7,000,000,000</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pre&amp;set</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Preset</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{exact}, a single tensor</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{exact}: {layers} layers, width {hidden}, vocabulary {vocab}</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>NoticeBar</name>
  <message>
   <source>Close this notice</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>OptimizerPanel</name>
  <message>
   <source>&amp;Implementation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Class and library; type to search</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Proven: 0 bytes from {library}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>automatic</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>off</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>on</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>Phases</name>
  <message>
   <source>backward</source>
   <translation>反向</translation>
  </message>
  <message>
   <source>between steps</source>
   <translation>两步之间</translation>
  </message>
  <message>
   <source>forward</source>
   <translation>前向</translation>
  </message>
  <message>
   <source>load</source>
   <translation>加载</translation>
  </message>
  <message>
   <source>optimizer step</source>
   <translation>优化器更新</translation>
  </message>
 </context>
 <context>
  <name>Precision</name>
  <message>
   <source>AMP bf16 (autocast over fp32 weights)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>AMP fp16 (autocast over fp32 weights)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Megatron bf16 (fp32 main gradients)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bf16 + fp32 master weights</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bf16 weights under autocast</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bf16, pure</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp16 + fp32 master weights</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp16, pure</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp32</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp8, MS-AMP O2</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp8, TransformerEngine on bf16 weights</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp8, TransformerEngine on fp32 weights</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp8, torchao float8</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>PrecisionPanel</name>
  <message>
   <source>Precision</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>S&amp;cheme</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Which copy of a parameter exists in which type</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>Reasons</name>
  <message>
   <source>--batch: the length of a sequence is missing; add `--seq N`, such as `--seq 2048`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>--check: nothing to check against; add `--gpu ID`, such as `--gpu h100-80gb`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>--trainable: a scenario file keeps no tensor names; open the model itself with it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>--trainable: {tensor_count} tensors are too many to name one by one; give a smaller number of parameters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>0 tensors: nothing to estimate.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>1 B for the fp8 copy and 1 B for its transpose, every multiplied matrix</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>16-bit copies of fp32 weights: each product keeps the copy it used until its backward has run, also after autocast has ended.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>16-bit queries and heads of at most 256 elements: PyTorch picks flash attention.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>2 cuBLAS workspaces of {bytes}: one in the forward thread, one in autograd's</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A history of directions and steps: 2 x history + 2 vectors as long as all parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>A steady step is meant: the second and later ones. The first step allocates the optimizer state.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Above 0, a momentum buffer as large as the parameters is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accumulation: {given} is not a whole number; write micro-batches a step such as 1 or 8</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Accumulation: {given} is outside 1 to {limit_count}; write fewer micro-batches</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Activations and workspace are not counted: no batch size and sequence length were given.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Activations and workspace are not counted: the architecture is not known.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adam for sparse gradients of embeddings.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adam with Nesterov momentum: two moments and two counters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adam with a rectified start: two moments.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adam with decoupled weight decay: two moments in the type of the parameter.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Adam with the infinity norm: two moments.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Added to the gradient (not decoupled), it takes a changed copy of the gradient in the step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>All parameters at once: fast, and takes lists as large as all of them. Automatic on CUDA.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>At most {vectors} vectors as long as all parameters, {vector_bytes} each = {total_bytes}; how many depends on how the line search goes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Attention probabilities, batch x heads x sequence x sequence: this grows with the square of the sequence.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Attention: flash takes heads of at most 256 elements, this model has {head_dim}; choose efficient or auto</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Attention: the CPU's flash kernel has no dropout; choose auto, math or eager</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Attention: {kernel} does not exist on the CPU; choose auto, flash, math or eager</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Attention: {kernel} takes 16-bit types only, and queries are fp32; choose a 16-bit precision, efficient or auto</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Backward keeps one gradient for every trained parameter until the step has used it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Batch: {given} is not a whole number; write one such as 1, 8 or 32, or leave it empty</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Batch: {given} is outside 1 to {limit_count}; write a smaller batch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Changes no memory.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Checkpointing: {given} is not known; write none, attention, full or every-K such as every-2</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Communication buffers appear with several GPUs.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Contains code references: {names} - not executed. Do not load this file with torch.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Data of {count} storages is missing (the first is {name}); the counts are from the pickle.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Decay acts on the weights in place (AdamW): no copy of the gradient.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Did not fit: {phase} of step {step} asked for {asked_bytes} more and {free_bytes} was free on the GPU; lower the batch or choose a smaller optimizer state</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Did not fit: {phase} of step {step} asked for {asked_bytes} more than the system gives; measure a smaller model of the same shape</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Dropout masks, one byte an element on CUDA.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Each entry keeps two vectors as long as all parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Everything in fp32: 4 bytes for a weight, 4 for its gradient.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>For CUDA graphs: the step counters live on the GPU.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>GPU: {given} is not in the table; run `optmem estimate --gpu all` or choose one of {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Give a batch size and a sequence length to count activations.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Heads of {head_dim} elements are wider than flash attention's 256: PyTorch picks the memory-efficient kernel.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Input of a linear layer: the gradient of its weight is input times incoming gradient.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Input of each recomputed unit: all that checkpointing keeps.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Inside the MLP: what the activation function and the gate multiply.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Inside the norms: the fp32 copy and the normalised values that backward multiplies with.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>It cannot train a whole model: biases, norms and convolutions need a second optimizer with its own state.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Iterations a step: how fast the history fills.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keeps a third moment as large as the parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Keeps an average of the gradients as large as the parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>LoRA rank: {given} is not a whole number; write one such as 8 or 16</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>LoRA rank: {given} is outside 1 to {limit_count}; write a smaller rank</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>LoRA rank: {rank} is below 1; write a rank such as 8 or 16</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>LoRA targets: no linear layer is called {targets}; this model has {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>LoRA targets: nothing was named; write module names such as q_proj, v_proj or all-linear</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Log-probabilities in fp32, tokens x vocabulary: cross-entropy keeps them for backward.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Logits that the training loop still refers to, so they live through the step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>MS-AMP O2: fp8 weights and gradients, fp16 master weights, fp8 and fp16 Adam moments.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Main gradients live in one fp32 buffer that is zeroed, never freed.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Matrix products need scratch memory; it is counted once a batch is given.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: CUDA_VISIBLE_DEVICES={visible} hides device {given}; unset it or choose a device it shows</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: a {base} base needs bitsandbytes kernels and is not measured; choose a bf16 base, or rely on the estimate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: no parameter is trainable; widen the choice of trainable parameters</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the GPU reported an error ({cause}); restart the program, and the computer if it stays</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the worker could not read the request ({cause}); report this with the log</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the worker crashed in {phase} ({signal}); update torch or the driver, the log has the detail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the worker ended in {phase} with status {status} and no result; the log has the detail</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the worker said nothing for {seconds} s in {phase} and was ended; measure a smaller model or try again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the worker speaks protocol version {given}, this program another; run both from one installation</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: the worker was ended by {signal} in {phase}; the system probably ran out of memory, measure a smaller model</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: there is no device {given}, torch sees {device_count}; choose another device</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch cannot use the GPU ({cause}); update the driver or measure on the CPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch has no tensors of type {dtype}; a model can hold {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch in {python} does not load ({cause}); reinstall it or choose another Python in the settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch itself does not run {precision}; choose another precision, or rely on the estimate</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch {torch} has no kernels for this GPU ({architecture}); install a build for it or measure on the CPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch {torch} in {python} is a CPU build; install a CUDA build or measure on the CPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: torch {torch} is older than {oldest}; update torch or choose another Python in the settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {device} is in use by another process in exclusive mode; end that process or choose another device</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {path} cannot be imported ({cause}); install its library where torch is, or choose another optimizer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {path} does not exist in this installation (torch {torch}); update it or choose another optimizer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {path} refused its options or parameters ({cause}); change the option it names</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {phase} of step {step} failed ({cause}); see the detail, or change what it names</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {python} answered with something that is no measurement ({sample}); choose another Python in the settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {python} cannot be started ({cause}); choose another Python in the settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {python} has no torch; install it there (pip install torch) or choose another Python in the settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measure: {steps} steps are too few, the first one differs from the rest; ask for at least {fewest}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measurement stopped in {phase}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Newton-Schulz orthogonalizes one matrix at a time in bf16; the largest takes {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No GPU figures: the package nvidia-ml-py is missing; install it (pip install nvidia-ml-py)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No NVIDIA driver was found (libnvidia-ml is missing); install the driver, or measure on the CPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No casts of weights are kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No model weights found: none of the {count} tensors can be trained.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>No state, but foreach with weight decay or maximize copies every gradient in the step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Non-standard file: {second} uses the same bytes as {first}; counted once ({pair_count} such).</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not 4 bytes a parameter, and not always tiny: only the last two axes are factored, so a 3 x 3 convolution keeps two thirds of its size, a 1 x 1 one twice its size. Its docstring promises foreach on CUDA; the code runs the for-loop.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not 8 bytes a parameter always: 4 with 16-bit parameters, 8 with fp32; autocast keeps 8.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not available: the driver does not tell what a process uses here (Windows, WSL or a container); the device's total less its baseline stands in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not counted: buffers inside CUDA kernels (reductions, sorting), usually a few MiB, and the cuBLASLt workspace.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Not counted: what a large block keeps beyond its request, up to 1 MiB each and 2 % in all; cuDNN's workspaces; buffers inside other kernels.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing opened: what was dropped is not a file or folder on this computer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing opened: {name} is no checkpoint, model folder, config.json or .optmem file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing opened: {number_count} items were dropped; drop one file, or the folder that holds them</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Nothing without momentum, one buffer with it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Objects of {names} were not built; tensors in them are counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>On the CPU PyTorch has one fused kernel, also called flash, for every type.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One average of squares; momentum and centered add one each.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One fp32 number a row (log-sum-exp) from which backward rebuilds the probabilities.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One kernel in place: no temporaries. Set to false, it also switches the automatic foreach off.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One momentum buffer; the update is orthogonalized. Matrices only.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One or two fp32 numbers a token that the norms keep.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>One sum of squares, allocated when the optimizer is made.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Only an adapter of {count} parameters: add the base model, whose weights are not in this file.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Only the adapters have gradients; the frozen base has none.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Only the gradient is sparse: both moments are dense, as large as Adam's.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option {given}: {optimizer} does not take it; it takes {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not a number; write one such as 0.9</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not a switch; write true or false</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not a whole number; write one such as 10</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not known; choose {choices}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is out of range; write a number {allowed}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer option: {given} is not name=value; write it as in amsgrad=true</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer state ({kind}) for {count} parameters; no model weights. Open the model itself for an estimate.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Optimizer: {given} is not known; did you mean {near}? `optmem optimizers` lists all</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Other models on the same GPU, such as an EMA copy, are not part of this scenario.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Other processes on the GPU changed their memory by {change_bytes} meanwhile; close them and measure again for an exact figure</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Output of the adapter's first matrix, rank numbers a token.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Output of the adapter.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>PEFT casts the input of each adapter to the adapter's type: one copy for every adapted layer.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Packed weights ({schemes}): {stored_count} stored elements hold {count} parameters. Training needs them unpacked, or frozen under adapters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: a model needs at least one parameter</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: nothing was typed; write a number such as 7B, 125M or 6.74e9</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: {given} can be read two ways; write it without the separator, or as 1.5e9</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: {given} is more than 1,000,000T (1e18); check the exponent</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: {given} is negative; write a positive number such as 7B</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: {given} is not a number; write 7B, 125M, 6.74e9 or 7,000,000,000</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Parameters: {given} is not a whole number of parameters; did you mean a suffix, as in 1.5B?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Precision: {given} is not known; choose one of {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pure bf16: weights, gradients and a state that follows them take 2 bytes each. No fp32 copy.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pure fp16 without a master copy loses updates smaller than about 1/1000 of a weight; most people want amp-fp16 or fp16-master.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Pure fp16: 2 bytes for weights and gradients, no fp32 copy; small updates are lost.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>PyTorch's caching allocator hands out multiples of 512 bytes; many tiny tensors make this visible.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Quantized layers follow bitsandbytes' source; their activations are not yet compared with a GPU.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Queries are fp32: flash attention takes only 16-bit types, so PyTorch picks the memory-efficient kernel.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Queries, keys, values and the output of attention.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Reserved is a band: 14 recorded transformer runs with a backward held 0.1 to 5.8 % more than they had allocated. Convolutions on changing sizes can hold far more.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Residual stream: the norms need their input for backward.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rotary tables (cos and sin), shared by all layers.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Row and column averages of the second moment, no first moment.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Rules of the CPU: for-loop optimizers, no workspace, no rounding to 512 B.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>SGD with an averaged copy of the weights and three counters on the GPU.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sequence: {given} is not a whole number; write tokens such as 2048 or 4096</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Sequence: {given} is outside 1 to {limit_count}; write fewer tokens</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings cannot be saved in {path}; this session works, nothing is remembered</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Small tensors kept for backward.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tensors address {tensor_bytes} of {storage_bytes} of storage: some are slices of larger storages saved whole.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Tensors that are kept but not trained, such as BatchNorm statistics.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The CPU allocator is asked for exactly what is needed.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The CPU's fused kernel has no dropout: PyTorch falls back to separate operations.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The CUDA context is a band of 250 to 650 MiB; other processes on the GPU are not counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The GPU no longer answers the driver; restart the computer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The GPU no longer answers the driver; restart the computer before measuring again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The NVIDIA driver is not loaded; load it (modprobe nvidia) or restart the computer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The NVIDIA driver was updated and no longer matches the running one; restart the computer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The base is frozen and only the adapters are trained, but forward and backward need all of it.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The config of {family} has several parts; only its language model is described here.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The cuBLAS workspace exists on GPUs only.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The driver answered with an error ({cause}); try again, or restart the computer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The driver gives no such figure for this GPU (unified memory is counted by the system); torch's own figures remain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The driver is too old for this figure; update it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The driver knows no GPU {uuid}; choose another device</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The driver refuses figures to this user; ask the administrator, torch's own figures remain</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The family {family} has exact weights but no rules for activations here: they are not counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The family {family} has no rules for activations here: they are not counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The file declares {declared_count} parameters; its headers hold {count}, which is what counts.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The for-loop (also on CUDA by default) rebuilds the variance of one parameter in full size beside that of the one before it, at most {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The for-loop handles one parameter at a time: {current} tensor(s) of its size, and {previous} of the one before it that Python still holds, at most {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The for-loop makes one more tensor of the parameter's size.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The for-loop updates one parameter after another in place.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The fused kernel updates in place: nothing beside the state.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The fused loss makes the gradients of the hidden states and of the head in forward and keeps those.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The learning rate is a tensor: Adam's automatic choice becomes the for-loop unless capturable.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The loss and its weight, single numbers.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The main model of {family} is counted; its multi-token-prediction module is not.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The model's architecture is not known, so activations cannot be predicted. They come on top.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The negated gradient is a copy in the step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The optimizer updates this fp32 copy; the 16-bit weights are written from it after each step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The previous gradient and a step size for every parameter.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The settings file could not be read and was set aside as {path}; defaults are used</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The sizes of the {kernel} kernel's tensors are not yet compared with a GPU.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The step works in place.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The strong-Wolfe search also holds a copy of the parameters and several gradients.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The weights are partitioned (ZeRO-3); the shapes of {count} parameters come from param_shapes.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The {count} weights are empty: they are partitioned (ZeRO-3). Gather them, or use the optim_states files.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>The {kernel} kernel was chosen by hand.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This run needs about {needed_bytes} and {free_bytes} is free; no model of this shape fits, free some memory first</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>This run needs about {needed_bytes} and {free_bytes} is free; {count} parameters of the same shape would fit</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Token ids and labels, 8 bytes each; the embedding and the loss keep them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>TransformerEngine on bf16 weights: each matrix also keeps an fp8 copy and its transpose through the step. fp8 makes the products faster, not the model states smaller.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>TransformerEngine on fp32 weights: fp8 copies and transposes are kept beside them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Two moments in the type of the parameter.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Two running averages as large as the parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Unknown element types ({names}): counted by shape, bytes from the storage.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Up to seven tensors of the rows that a batch touches; if it touches every row, {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Weights loaded in bf16 and trained under autocast: what HF Trainer does with a bf16 folder.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>What backward needs again is kept from forward on. The largest moment is usually at the loss, where logits of the whole vocabulary exist.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>With accumulation, gradients stay alive while the next micro-batch runs forward: activations come on top of them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>adapters: {count} parameters in {dtype}, {bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>autocast casts fp32 weights once in forward; a cast that backward needs lives until that layer's backward has run. This is why AMP can use more memory on a small batch.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>batch {batch} x {sequence} tokens, what each operation saves for backward</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>beta1 = 0 does not save the first moment: it is allocated all the same.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bf16 weights and gradients; the optimizer updates an fp32 copy (apex O2, DeepSpeed bf16).</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>bf16 weights, fp32 main gradients, fp32 main weights: 18 bytes a parameter with Adam.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>config.json describes {expected_count} parameters, the weights hold {count}; the weights count.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>config.json has no usable {field}: its dimensions are not known, activations are not counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>cuBLAS takes scratch memory from PyTorch's allocator at its first matrix product and keeps it, so it shows as allocated.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>every allocation rounded up to 512 B</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>foreach (what CUDA does by default) handles all parameters at once: {lists} list(s) of {list_bytes} = {total_bytes}. fused=true or foreach=false takes less.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>foreach updates its lists in place with these options.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp16 weights and gradients; the optimizer updates an fp32 copy (apex O2, DeepSpeed fp16).</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp32 copy of the 16-bit gradients, made at the step for the master weights</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>fp8 matrix products read fp8 copies; backward needs the transpose. The high-precision weights stay beside them.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>frozen base: {count} parameters in {dtype}, {bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>frozen base: {count} parameters packed as {dtype} with their scales, {bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>history_size 100 (the default) is 202 copies of the parameters; the first steps show far less.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>left unquantized and lifted to {dtype} by k-bit preparation (embeddings, norms, head): {count} parameters, {bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>no model: give a PATH, `--params 7B` or `--preset ID`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>none on a CPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>norms of every gradient, for clipping</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>not counted</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>one GPU: none</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>one {dtype} cast of every matrix that is multiplied</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the window cannot open: PySide6 is not installed; run `pip install PySide6-Essentials==6.10.3`, or use `optmem estimate --params 7B`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the window cannot open: there is no display; set DISPLAY, run under `xvfb-run`, or use `optmem estimate --params 7B`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the window cannot open: {library} is missing; on Debian and Ubuntu run `apt-get install {package}`, see README.md for all of them</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>torch.autocast in fp16 with a GradScaler: weights, gradients and optimizer state stay fp32. AMP does not halve model states.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>torch.autocast over fp32 weights: weights, gradients and optimizer state stay fp32. Only activations and transient 16-bit casts of the weights are smaller: AMP does not halve model states.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>torchao float8 training on bf16 weights: casts are made on the fly for each product; nothing is kept.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>trainable parameters: {given} is not a regular expression ({why}); write `all` or a pattern such as `lm_head|norm`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>trainable parameters: {given} matches no parameter that can be trained; names look like {example}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>zero_grad(set_to_none=False) keeps the gradients allocated all the time.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{bytes} during the optimizer's update</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} buffers as stored</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} elements are an averaged copy (EMA): kept as buffers, not trained.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} elements belong to neither model nor optimizer (random states, callbacks) and are not counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} elements only serve quantised weights (scales, zero points) and are no parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} elements under an average (EMA) are a second copy of the model and not counted.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} other weights files were not counted: {names}.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters from config.json; nothing was read from weights.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters in {dtypes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} parameters x {each} B</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} tensors are not where {file} says (the first is {name}); the headers count.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} tensors that {file} names are in none of its files.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{dtype}, whatever the type of the parameter.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{dtype}: the precision scheme forces this type on the moment.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{dtype}: the state takes the type of the parameter that the optimizer updates.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{field}: {given} is not known; choose one of {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file} and {other}: both hold the tensor {name}; remove the file that does not belong</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file} claims {promised_bytes}; the headers hold {held_bytes}, which is what counts.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file} is {missing_count} bytes short of what its header declares (incomplete download?); the counts are from the header.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file} names {count} files of which none is there; another file is read instead.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: __metadata__ is not a JSON object; write the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: a bare pickle that contains code references: {names} - not executed; do not load this file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: a bare pickle, not written by torch.save; save the state dict with torch.save or safetensors</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: a zip without data.pkl, not written by torch.save; choose the weights file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: all {count} files are Git LFS pointers, the weights ({size_bytes}; the index promises {promised_bytes} of tensors) were not downloaded; run `git lfs pull`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: bytes {start} to {stop} before tensor {name} belong to no tensor; the file is damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: cannot be read ({cause}); check the permissions or copy it to a local disk</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: duplicate tensor name {name}; write the file again with distinct names</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: its data.pkl takes {size_bytes}, more than {limit_bytes}; this is no checkpoint</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: its directory takes more than {limit_bytes}; this is no checkpoint</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: models of the family {family} cannot be built from their config yet; open the weights instead</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: more than {limit_count} entries; choose the model folder or the weights file itself</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: names the file {name}, which is outside the folder; do not use this index</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: neither a zip nor a pickle, so not written by torch.save; choose the weights file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: no such file; check the path</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: no weights and no config.json of a known family in this folder; choose another</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: no weights in this folder, but in {name}; open that one</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: none of its {count} files is there (the index promises {promised_bytes} of tensors); download them</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: not a JSON object; download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: not a checkpoint format that is known; choose one of {known}, a model folder or a config.json</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: not a safetensors file, its first 8 bytes claim a header of {length_count} bytes; choose another file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: not an index of shards (JSON with a weight_map); download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: only weights in formats that are not read yet ({names}); get the safetensors version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: several checkpoints ({names}); choose one of the files</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensor {name} claims more than 1e18 elements; the file is damaged or hostile</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensor {name} has a shape that is no list of counts; write the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensor {name} has data_offsets that are no range; write the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensor {name} has the unknown element type {dtype}; a newer version may read it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensor {name} lacks its dtype, shape or data_offsets; write the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensor {name} of type {dtype} and shape {shape} does not fit its {held_count} bytes; the file is damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: tensors {first} and {second} overlap in the data; the file is damaged</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the JSON is nested too deeply for a header; this file is damaged or hostile</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the file ends after the length of its header ({length_count} bytes); download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the file is empty; download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the header declares {data_bytes} of data, the file holds {held_bytes}; download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the header is not a JSON object of tensors; download the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the header is not valid JSON; download the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the header should take {length_count} bytes, only {rest_count} are there; download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the header takes {length_count} bytes, the format allows {limit_count}; split the file</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the pickle makes no sense after {position_count} instructions; download the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the zip has no central directory (incomplete download); download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: the zip is encrypted; decrypt it first</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: this is a Git LFS pointer, the weights ({size_bytes}) were not downloaded; run `git lfs pull`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: this is a {kind} file, which is not read yet; choose the safetensors or PyTorch version</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: this link leads to a file that is missing in the cache; download the model again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {count} bytes follow the last tensor; the file is damaged or not safetensors</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {count} snapshots and no refs/main; choose one of the folders in snapshots</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {field} is missing; add it, or open the weights instead</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {field} is {given}, not a usable count; correct it, or open the weights instead</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {record} cannot be taken out of the zip; download the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {record} does not match its checksum; download the file again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {size_bytes} is more than the {limit_bytes} such a file may have; choose the weights file itself</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{file}: {size_count} bytes are fewer than the 8 that begin a safetensors file; download it again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{given} each name a model; keep one of them</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{given}: is neither a file nor a subcommand; did you mean `optmem {near}`?</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{missing_count} of {total_count} shards missing: {names}. The count is partial; the index promises {promised_bytes} in all.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} and others hold {count} whole numbers, packed in a way that is not known: stored elements, not parameters.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{name} is an expanded view: logical elements are counted, its storage is smaller.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer} evaluates the model again in each of its iterations: pass a closure to step(); its activations are alive inside the step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer} keeps nothing</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer} keeps nothing from step to step with these options.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer} keeps {total_bytes} from step to step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer} takes sparse gradients only (Embedding with sparse=True); dense gradients raise an error in the step.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer} trains matrices only and {tensor} has shape {shape}; train such tensors with AdamW beside it, or choose another optimizer</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer}: a tensor learning rate with foreach=true needs capturable=true; set it, or leave foreach alone</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer}: capturable=true needs parameters on a GPU; switch it off or choose cuda</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer}: fused and foreach cannot both be true; switch one off</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer}: nesterov needs momentum above 0 and dampening 0; set momentum=0.9 or switch nesterov off</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{optimizer}: {states}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{option} is not available yet; leave it out</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{option}: needs --lora-rank; add it, such as `--lora-rank 16`</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{option}: {given} is not a number; write one such as {example}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{option}: {given} is not a whole number from {low} to {high}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{option}: {given} is not known; choose one of {known}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: cannot be read ({why}); check that it is a file and that you may read it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: cannot be written ({why}); choose another folder or name</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: is damaged or was only half written ({why}); save the scenario again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: is not an OptMem scenario ({why}); choose a file that OptMem saved</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: several files together are not available yet; give one file, or the folder they lie in</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: the model changed since the scenario was saved; what the scenario stored is used until you open the model again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: the model is not there any more; what the scenario stored of it is used</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: there is no such file or folder; check the path</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: was saved by OptMem {program} in file version {given}, this one reads up to {known}; update OptMem</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: {field} does not fit ({why}); correct it, or save the scenario again</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{path}: {size_bytes} is too large for a scenario, the limit is {limit_bytes}; choose a file that OptMem saved</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{precision} keeps no separate copy: the optimizer updates the weights themselves.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{precision}: from the library's source and paper; not yet compared with a GPU.</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: one {dtype} number a column of each matrix (numel / d[-2]), {element_count} elements = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: one {dtype} number a row of each matrix (numel / d[-1]), {element_count} elements = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: vectors and single numbers are not factored, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype}, as many as parameters = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: {tensor_count} x all parameters end to end, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: {tensor_count} x one number in {dtype} = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{state}: {tensor_count} x one number in {dtype} = {total_bytes}, in host memory, where reading it does not wait for the GPU</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{vectors} vectors as long as all parameters, {vector_bytes} each = {total_bytes}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{why}; see `{command} --help`</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>SettingsDialog</name>
  <message>
   <source>&amp;Language</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Python with torch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Theme</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>&amp;Unit of sizes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Choose...</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>GB (10^9 bytes)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>GiB (2^30 bytes)</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Kept in {path}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measured &amp;steps</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Python with torch</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Settings</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>as the system</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>dark</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>light</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>the one this program runs in</source>
   <translation type="unfinished" />
  </message>
 </context>
 <context>
  <name>TimelinePanel</name>
  <message>
   <source>Estimated</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Estimated memory over the phases of one step</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Largest value of each</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measured</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Measured memory over time</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Peak, {phase}: {size}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Shows a measurement once there is one</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>Timeline</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>a measured run; point at it to read it</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>one step, phases not to scale; point at it to see what is alive</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{count} bytes</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{phase}: {size}</source>
   <translation type="unfinished" />
  </message>
  <message>
   <source>{second} s, {phase}</source>
   <translation type="unfinished" />
  </message>
 </context>
</TS>
