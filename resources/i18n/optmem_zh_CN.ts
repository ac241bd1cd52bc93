<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
 <context>
  <name>AboutDialog</name>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Licences</source>
   <translation>许可证(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Part</source>
   <translation>组件(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Versions</source>
   <translation>版本(&amp;V)</translation>
  </message>
  <message>
   <source>About OptMem</source>
   <translation>关于 OptMem</translation>
  </message>
  <message>
   <source>How much GPU memory training takes, where it goes, and whether it fits. The program works offline: nothing leaves this computer.</source>
   <translation>训练需要多少显存、显存用在哪里、能否装得下。程序完全离线运行：任何数据都不会离开本机。</translation>
  </message>
  <message>
   <source>Part whose licence is shown</source>
   <translation>显示哪个组件的许可证</translation>
  </message>
  <message>
   <source>Text of the licence</source>
   <translation>许可证文本</translation>
  </message>
  <message>
   <source>Versions and licences</source>
   <translation>版本与许可证</translation>
  </message>
  <message>
   <source>{name} carries no text of its licence.</source>
   <translation>{name} 未附带许可证文本。</translation>
  </message>
 </context>
 <context>
  <name>Actions</name>
  <message>
   <source>&amp;About OptMem</source>
   <translation>关于 OptMem(&amp;A)</translation>
  </message>
  <message>
   <source>&amp;Add an optimizer of your own...</source>
   <translation>添加您自己的优化器(&amp;A)...</translation>
  </message>
  <message>
   <source>&amp;Checkpoint</source>
   <translation>检查点(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Close memory snapshot</source>
   <translation>关闭内存快照(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Copy table</source>
   <translation>复制表格(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Dark</source>
   <translation>深色(&amp;D)</translation>
  </message>
  <message>
   <source>&amp;Edit</source>
   <translation>编辑(&amp;E)</translation>
  </message>
  <message>
   <source>&amp;Export</source>
   <translation>导出(&amp;E)</translation>
  </message>
  <message>
   <source>&amp;File</source>
   <translation>文件(&amp;F)</translation>
  </message>
  <message>
   <source>&amp;Help</source>
   <translation>帮助(&amp;H)</translation>
  </message>
  <message>
   <source>&amp;How memory is used</source>
   <translation>显存如何使用(&amp;H)</translation>
  </message>
  <message>
   <source>&amp;Language</source>
   <translation>语言(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Light</source>
   <translation>浅色(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Measure</source>
   <translation>测量(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Measurements</source>
   <translation>测量记录(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Open...</source>
   <translation>打开(&amp;O)...</translation>
  </message>
  <message>
   <source>&amp;Pin as A</source>
   <translation>固定为 A(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Quit</source>
   <translation>退出(&amp;Q)</translation>
  </message>
  <message>
   <source>&amp;Redo</source>
   <translation>重做(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;Reset window layout</source>
   <translation>重置窗口布局(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;Run</source>
   <translation>运行(&amp;R)</translation>
  </message>
  <message>
   <source>&amp;Save</source>
   <translation>保存(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;Self-check...</source>
   <translation>自检(&amp;S)...</translation>
  </message>
  <message>
   <source>&amp;Theme</source>
   <translation>主题(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Undo</source>
   <translation>撤销(&amp;U)</translation>
  </message>
  <message>
   <source>&amp;View</source>
   <translation>视图(&amp;V)</translation>
  </message>
  <message>
   <source>&amp;Why this number?</source>
   <translation>为什么是这个数字？(&amp;W)</translation>
  </message>
  <message>
   <source>About this &amp;optimizer</source>
   <translation>关于此优化器(&amp;O)</translation>
  </message>
  <message>
   <source>After the first simulation, start another one a moment after each edit</source>
   <translation>首次模拟之后，每次编辑后稍候片刻便再次模拟</translation>
  </message>
  <message>
   <source>As the &amp;system</source>
   <translation>跟随系统(&amp;S)</translation>
  </message>
  <message>
   <source>Copy table &amp;as</source>
   <translation>复制表格为(&amp;A)</translation>
  </message>
  <message>
   <source>Copy the breakdown for a spreadsheet, a document or a web page</source>
   <translation>复制明细，可粘贴到电子表格、文档或网页</translation>
  </message>
  <message>
   <source>Copy the table that has the keyboard, else the breakdown</source>
   <translation>复制键盘焦点所在的表格，没有则复制明细</translation>
  </message>
  <message>
   <source>Every measurement that is kept: see it again, compare two, export</source>
   <translation>保留的全部测量记录：重新查看、比较两条、导出</translation>
  </message>
  <message>
   <source>Find &amp;layouts that fit...</source>
   <translation>查找装得下的布局(&amp;L)...</translation>
  </message>
  <message>
   <source>Formula, numbers put in, source and proof of the selected number</source>
   <translation>所选数字的公式、代入的数值、出处与验证</translation>
  </message>
  <message>
   <source>Go back to the estimate</source>
   <translation>返回估算</translation>
  </message>
  <message>
   <source>How few GPUs are enough, and how they share the model</source>
   <translation>最少需要多少张 GPU，以及它们如何分担模型</translation>
  </message>
  <message>
   <source>Keep the present scenario and read what later edits change</source>
   <translation>保留当前方案，随后的改动带来的变化一目了然</translation>
  </message>
  <message>
   <source>Make the edit again</source>
   <translation>重做刚撤销的修改</translation>
  </message>
  <message>
   <source>Measure &amp;with...</source>
   <translation>测量选项(&amp;W)...</translation>
  </message>
  <message>
   <source>Measure a fu&amp;nction...</source>
   <translation>测量函数(&amp;N)...</translation>
  </message>
  <message>
   <source>Measure compiled, with the checkpoint's own values, or with the allocator's history</source>
   <translation>编译后测量、使用检查点自身的值，或记录分配器历史</translation>
  </message>
  <message>
   <source>Name any optimizer class; a process of its own finds out what it keeps</source>
   <translation>指定任意优化器类；由独立进程查明它保留哪些状态</translation>
  </message>
  <message>
   <source>Open &amp;folder...</source>
   <translation>打开文件夹(&amp;F)...</translation>
  </message>
  <message>
   <source>Open &amp;recent</source>
   <translation>最近打开(&amp;R)</translation>
  </message>
  <message>
   <source>Open a checkpoint, a config.json, a saved scenario or a memory snapshot</source>
   <translation>打开检查点、config.json、已保存的方案或内存快照</translation>
  </message>
  <message>
   <source>Open a folder that holds a model</source>
   <translation>打开存放模型的文件夹</translation>
  </message>
  <message>
   <source>Put every number beside real steps on this computer</source>
   <translation>在本机上把每个数字与真实训练步对照</translation>
  </message>
  <message>
   <source>Put every panel back to its first size</source>
   <translation>让所有面板恢复初始大小</translation>
  </message>
  <message>
   <source>Run real steps of a function in a Python file of your own</source>
   <translation>运行您自己的 Python 文件中某个函数的真实训练步</translation>
  </message>
  <message>
   <source>Run real training steps in a process of their own and watch the memory</source>
   <translation>在独立进程中运行真实训练步，并观察显存</translation>
  </message>
  <message>
   <source>S&amp;top</source>
   <translation>停止(&amp;T)</translation>
  </message>
  <message>
   <source>Save &amp;as...</source>
   <translation>另存为(&amp;A)...</translation>
  </message>
  <message>
   <source>Save a picture of the results</source>
   <translation>把结果保存为图片</translation>
  </message>
  <message>
   <source>Save a scalable picture of the results</source>
   <translation>把结果保存为矢量图</translation>
  </message>
  <message>
   <source>Save everything as a report of one page</source>
   <translation>把全部内容保存为一页报告</translation>
  </message>
  <message>
   <source>Save the figures in this format</source>
   <translation>以此格式保存数据</translation>
  </message>
  <message>
   <source>Save the scenario under another name</source>
   <translation>以其他名称保存方案</translation>
  </message>
  <message>
   <source>Save what stands in the fields as a scenario</source>
   <translation>把当前输入保存为方案</translation>
  </message>
  <message>
   <source>Se&amp;ttings...</source>
   <translation>设置(&amp;T)...</translation>
  </message>
  <message>
   <source>Short pages: where the memory goes, and what tools show of it</source>
   <translation>简短的页面：显存用在哪里，各种工具显示什么</translation>
  </message>
  <message>
   <source>Simulat&amp;e</source>
   <translation>模拟(&amp;E)</translation>
  </message>
  <message>
   <source>Simulate &amp;after an edit</source>
   <translation>编辑后自动模拟(&amp;A)</translation>
  </message>
  <message>
   <source>Simulate a f&amp;unction...</source>
   <translation>模拟函数(&amp;U)...</translation>
  </message>
  <message>
   <source>Sizes in 10^9 bytes</source>
   <translation>以 10^9 字节为单位显示大小</translation>
  </message>
  <message>
   <source>Sizes in 2^30 bytes</source>
   <translation>以 2^30 字节为单位显示大小</translation>
  </message>
  <message>
   <source>Stop the simulation or the measurement</source>
   <translation>停止模拟或测量</translation>
  </message>
  <message>
   <source>Stop what runs and close the window</source>
   <translation>停止正在运行的任务并关闭窗口</translation>
  </message>
  <message>
   <source>Take the last edit back</source>
   <translation>撤销上一次修改</translation>
  </message>
  <message>
   <source>The modules of the opened file, the optimizer in it, and how it is understood</source>
   <translation>所打开文件的模块、其中的优化器，以及对它的解读</translation>
  </message>
  <message>
   <source>Theme, language, and how a measurement runs</source>
   <translation>主题、语言以及测量方式</translation>
  </message>
  <message>
   <source>Trace the real step without a GPU and replay it through PyTorch's allocator</source>
   <translation>无需 GPU 即可追踪真实训练步，再通过 PyTorch 的分配器重放</translation>
  </message>
  <message>
   <source>Trace the step of a function in a Python file of your own</source>
   <translation>追踪您自己的 Python 文件中某个函数的训练步</translation>
  </message>
  <message>
   <source>Versions and licences</source>
   <translation>版本与许可证</translation>
  </message>
  <message>
   <source>What the optimizer keeps, why, and where that is known from</source>
   <translation>优化器保留什么、为什么，以及依据何在</translation>
  </message>
 </context>
 <context>
  <name>AdapterView</name>
  <message>
   <source>Base model file...</source>
   <translation>基座模型文件...</translation>
  </message>
  <message>
   <source>Base model folder...</source>
   <translation>基座模型文件夹...</translation>
  </message>
  <message>
   <source>It is counted on {base}, which is frozen.</source>
   <translation>基于已冻结的 {base} 计数。</translation>
  </message>
  <message>
   <source>Its base ({base}) is not counted: choose its file or folder.</source>
   <translation>其基座（{base}）未计入：请选择基座的文件或文件夹。</translation>
  </message>
  <message>
   <source>Set the base as the model and the adapter as LoRA, so that its rank can be changed</source>
   <translation>把基座设为模型，把适配器设为 LoRA，之后即可修改其秩</translation>
  </message>
  <message>
   <source>Use as LoRA setting</source>
   <translation>用作 LoRA 设置</translation>
  </message>
  <message>
   <source>{kind} adapter, rank {rank}, on {targets}.</source>
   <translation>{kind} 适配器，秩 {rank}，作用于 {targets}。</translation>
  </message>
 </context>
 <context>
  <name>AliveTable</name>
  <message>
   <source>(none)</source>
   <translation>（无）</translation>
  </message>
  <message>
   <source>... and {number} more</source>
   <translation>……还有 {number} 项</translation>
  </message>
  <message>
   <source>By</source>
   <translation>分组</translation>
  </message>
  <message>
   <source>Put together by</source>
   <translation>分组方式</translation>
  </message>
  <message>
   <source>Search</source>
   <translation>搜索</translation>
  </message>
  <message>
   <source>Search among what is alive</source>
   <translation>在存活的内容中搜索</translation>
  </message>
  <message>
   <source>What is alive at the peak</source>
   <translation>峰值时存活的内容</translation>
  </message>
  <message>
   <source>blocks</source>
   <translation>块数</translation>
  </message>
  <message>
   <source>bytes</source>
   <translation>字节</translation>
  </message>
  <message>
   <source>share</source>
   <translation>占比</translation>
  </message>
  <message>
   <source>size</source>
   <translation>大小</translation>
  </message>
  <message>
   <source>what it is</source>
   <translation>说明</translation>
  </message>
 </context>
 <context>
  <name>BatchPanel</name>
  <message>
   <source>&amp;Attention</source>
   <translation>注意力(&amp;A)</translation>
  </message>
  <message>
   <source>&amp;Batch</source>
   <translation>批大小(&amp;B)</translation>
  </message>
  <message>
   <source>&amp;Loss</source>
   <translation>损失(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Sequence</source>
   <translation>序列长度(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;zero_grad frees gradients</source>
   <translation>zero_grad 释放梯度(&amp;Z)</translation>
  </message>
  <message>
   <source>Acc&amp;umulation</source>
   <translation>梯度累积(&amp;U)</translation>
  </message>
  <message>
   <source>Activation chec&amp;kpointing</source>
   <translation>激活重计算(&amp;K)</translation>
  </message>
  <message>
   <source>Batch and activations</source>
   <translation>批次与激活值</translation>
  </message>
  <message>
   <source>Clip gradients by nor&amp;m</source>
   <translation>按范数裁剪梯度(&amp;M)</translation>
  </message>
  <message>
   <source>How logits and cross-entropy are computed</source>
   <translation>logits 与交叉熵的计算方式</translation>
  </message>
  <message>
   <source>Images in one micro-batch, {tokens} tokens each; empty leaves activations out</source>
   <translation>一个微批次中的图像数，每张图像 {tokens} 个 token；留空则不计激活值</translation>
  </message>
  <message>
   <source>Kernel of the attention; eager keeps the whole score matrix</source>
   <translation>注意力的计算内核；eager 会保留完整的分数矩阵</translation>
  </message>
  <message>
   <source>Loop keeps the l&amp;ogits</source>
   <translation>循环保留 logits(&amp;O)</translation>
  </message>
  <message>
   <source>Micro-batches whose gradients are summed before a step</source>
   <translation>每次优化器更新前累加多少个微批次的梯度</translation>
  </message>
  <message>
   <source>Sequences in one micro-batch; empty leaves activations out</source>
   <translation>一个微批次中的序列数；留空则不计激活值</translation>
  </message>
  <message>
   <source>The training loop holds a reference to the logits through the optimizer step</source>
   <translation>训练循环在优化器更新期间仍引用 logits</translation>
  </message>
  <message>
   <source>Tokens in one sequence</source>
   <translation>一条序列的 token 数</translation>
  </message>
  <message>
   <source>What is kept for backward, and what is computed again instead</source>
   <translation>哪些为反向保留，哪些改为重新计算</translation>
  </message>
  <message>
   <source>activations not counted</source>
   <translation>不计激活值</translation>
  </message>
  <message>
   <source>attention only</source>
   <translation>仅注意力</translation>
  </message>
  <message>
   <source>automatic</source>
   <translation>自动</translation>
  </message>
  <message>
   <source>chunked</source>
   <translation>分块</translation>
  </message>
  <message>
   <source>clip_grad_norm_ runs before the optimizer step</source>
   <translation>优化器更新前执行 clip_grad_norm_</translation>
  </message>
  <message>
   <source>every {number} layers</source>
   <translation>每 {number} 层</translation>
  </message>
  <message>
   <source>full logits</source>
   <translation>完整 logits</translation>
  </message>
  <message>
   <source>full: every layer</source>
   <translation>全部：每一层</translation>
  </message>
  <message>
   <source>fused linear</source>
   <translation>融合线性层</translation>
  </message>
  <message>
   <source>memory-efficient</source>
   <translation>内存高效</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>zero_grad(set_to_none=True), the default; off keeps them in memory as zeros</source>
   <translation>zero_grad(set_to_none=True)，默认行为；关闭则梯度以全零形式留在显存中</translation>
  </message>
 </context>
 <context>
  <name>BreakdownModel</name>
  <message>
   <source>B/param</source>
   <translation>B/参数</translation>
  </message>
  <message>
   <source>Bytes for each parameter of the whole model</source>
   <translation>平均到整个模型每个参数的字节数</translation>
  </message>
  <message>
   <source>Component</source>
   <translation>组成部分</translation>
  </message>
  <message>
   <source>Element types it is made of</source>
   <translation>由哪些元素类型构成</translation>
  </message>
  <message>
   <source>Formula and why</source>
   <translation>公式与原因</translation>
  </message>
  <message>
   <source>How the number was made, and why it exists</source>
   <translation>数值如何得出，这部分为何存在</translation>
  </message>
  <message>
   <source>Its part of the peak on the GPU; the parts add up to the peak</source>
   <translation>它在 GPU 峰值中所占的部分；各部分之和等于峰值</translation>
  </message>
  <message>
   <source>Its part that lives in host memory</source>
   <translation>其中位于主机内存的部分</translation>
  </message>
  <message>
   <source>Its share of the peak</source>
   <translation>它占峰值的比例</translation>
  </message>
  <message>
   <source>Largest size in a steady step, host memory included</source>
   <translation>稳态训练步中的最大值，含主机内存</translation>
  </message>
  <message>
   <source>Peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>What the memory is for</source>
   <translation>这部分显存的用途</translation>
  </message>
  <message>
   <source>allocated at once, in this phase: {phase}</source>
   <translation>同时分配，位于此阶段：{phase}</translation>
  </message>
  <message>
   <source>at peak</source>
   <translation>峰值时</translation>
  </message>
  <message>
   <source>at peak, bytes</source>
   <translation>峰值时，字节</translation>
  </message>
  <message>
   <source>bytes</source>
   <translation>字节</translation>
  </message>
  <message>
   <source>dtype</source>
   <translation>dtype</translation>
  </message>
  <message>
   <source>host</source>
   <translation>主机</translation>
  </message>
  <message>
   <source>not counted</source>
   <translation>未计入</translation>
  </message>
  <message>
   <source>share</source>
   <translation>占比</translation>
  </message>
  <message>
   <source>{formula}. {why}</source>
   <translation>{formula}。{why}</translation>
  </message>
  <message>
   <source>{size}, {count} bytes</source>
   <translation>{size}，即 {count} 字节</translation>
  </message>
 </context>
 <context>
  <name>BreakdownPanel</name>
  <message>
   <source>&lt;b&gt;{name}&lt;/b&gt;: {text}</source>
   <translation>&lt;b&gt;{name}&lt;/b&gt;：{text}</translation>
  </message>
  <message>
   <source>About the selected component</source>
   <translation>关于选中的组成部分</translation>
  </message>
  <message>
   <source>Breakdown</source>
   <translation>明细</translation>
  </message>
  <message>
   <source>Check:</source>
   <translation>请核对：</translation>
  </message>
  <message>
   <source>Largest {size} ({count} bytes); at the peak {at_peak} ({at_peak_count} bytes)</source>
   <translation>最大 {size}（{count} 字节）；峰值时 {at_peak}（{at_peak_count} 字节）</translation>
  </message>
  <message>
   <source>Memory by component</source>
   <translation>各组成部分的显存</translation>
  </message>
  <message>
   <source>Why is the selected number what it is? Also a double click on it, or Enter</source>
   <translation>所选数字为什么是这样？也可以双击它或按 Enter</translation>
  </message>
  <message>
   <source>Why this number?</source>
   <translation>为什么是这个数字？</translation>
  </message>
  <message>
   <source>on the worst rank</source>
   <translation>占用最高的 rank</translation>
  </message>
  <message>
   <source>per GPU</source>
   <translation>每张 GPU</translation>
  </message>
  <message>
   <source>per GPU; empty rows hidden: {count}</source>
   <translation>每张 GPU；已隐藏空行：{count}</translation>
  </message>
  <message>
   <source>{size} of it lives in host memory ({count} bytes)</source>
   <translation>其中 {size} 位于主机内存（{count} 字节）</translation>
  </message>
  <message>
   <source>{size}: {text}</source>
   <translation>{size}：{text}</translation>
  </message>
 </context>
 <context>
  <name>CheckpointPage</name>
  <message>
   <source>  and {number} more</source>
   <translation>  还有 {number} 项</translation>
  </message>
  <message>
   <source>Back to the estimate</source>
   <translation>返回估算</translation>
  </message>
  <message>
   <source>Bookkeeping: {count} elements, {size}.</source>
   <translation>记录用张量：{count} 个元素，{size}。</translation>
  </message>
  <message>
   <source>Buffers: {count} elements, {size}.</source>
   <translation>缓冲区：{count} 个元素，{size}。</translation>
  </message>
  <message>
   <source>Checkpoint</source>
   <translation>检查点</translation>
  </message>
  <message>
   <source>Choices</source>
   <translation>选择</translation>
  </message>
  <message>
   <source>In the file</source>
   <translation>文件中</translation>
  </message>
  <message>
   <source>Modules</source>
   <translation>模块</translation>
  </message>
  <message>
   <source>Nothing was ignored, nothing is remarkable.</source>
   <translation>没有忽略任何内容，也没有值得注意之处。</translation>
  </message>
  <message>
   <source>Only headers and indexes are read, nothing is executed</source>
   <translation>只读取文件头和索引，不执行任何内容</translation>
  </message>
  <message>
   <source>Optimizer state</source>
   <translation>优化器状态</translation>
  </message>
  <message>
   <source>Parameters</source>
   <translation>参数量</translation>
  </message>
  <message>
   <source>Partial: not everything that belongs to it is there, see the remarks.</source>
   <translation>不完整：缺少属于它的部分内容，见备注。</translation>
  </message>
  <message>
   <source>Progress with the checkpoint</source>
   <translation>检查点处理进度</translation>
  </message>
  <message>
   <source>Read</source>
   <translation>已读取</translation>
  </message>
  <message>
   <source>Read again</source>
   <translation>重新读取</translation>
  </message>
  <message>
   <source>Reading</source>
   <translation>正在读取</translation>
  </message>
  <message>
   <source>Remarks</source>
   <translation>备注</translation>
  </message>
  <message>
   <source>Remarks ({count})</source>
   <translation>备注（{count}）</translation>
  </message>
  <message>
   <source>Stop</source>
   <translation>停止</translation>
  </message>
  <message>
   <source>Stored as {types}.</source>
   <translation>存储类型为 {types}。</translation>
  </message>
  <message>
   <source>Tied, counted once:</source>
   <translation>共享张量，只计一次：</translation>
  </message>
  <message>
   <source>Tied, counted once: {count}.</source>
   <translation>共享张量，只计一次：{count}。</translation>
  </message>
  <message>
   <source>Trained</source>
   <translation>训练</translation>
  </message>
  <message>
   <source>What was ignored, and other remarks</source>
   <translation>被忽略的内容与其他备注</translation>
  </message>
  <message>
   <source>Working; the figures are of the choice before</source>
   <translation>处理中；当前数值对应先前的选择</translation>
  </message>
  <message>
   <source>of {size}</source>
   <translation>共 {size}</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{count} parameters are packed into {size}; in 16 bits they are {whole}.</source>
   <translation>{count} 个参数打包为 {size}；以 16 位存储则为 {whole}。</translation>
  </message>
  <message>
   <source>{count} tensors</source>
   <translation>{count} 个张量</translation>
  </message>
  <message>
   <source>{what}, {files} files</source>
   <translation>{what}，{files} 个文件</translation>
  </message>
 </context>
 <context>
  <name>CheckpointView</name>
  <message>
   <source>Base model of the adapter</source>
   <translation>适配器的基座模型</translation>
  </message>
 </context>
 <context>
  <name>ChoicesView</name>
  <message>
   <source>A regular expression that is searched for in each name, such as embed|layers\.[0-9]\.</source>
   <translation>在每个名称中搜索的正则表达式，例如 embed|layers\.[0-9]\.</translation>
  </message>
  <message>
   <source>Everything else follows from these rules</source>
   <translation>其余一切均遵循以下规则</translation>
  </message>
  <message>
   <source>Frozen</source>
   <translation>冻结</translation>
  </message>
  <message>
   <source>No tensors share their elements.</source>
   <translation>没有共享元素的张量。</translation>
  </message>
  <message>
   <source>Off: each counts on its own, as if they were untied</source>
   <translation>关闭：各自计数，视为互不共享</translation>
  </message>
  <message>
   <source>The model's own field trains what {pattern} finds; a pattern here replaces it.</source>
   <translation>模型自身的字段训练 {pattern} 匹配到的参数；此处填写的模式会取代它。</translation>
  </message>
  <message>
   <source>The model's own, or their averaged copy</source>
   <translation>模型自身的权重，或其平均副本</translation>
  </message>
  <message>
   <source>This file holds one set of weights.</source>
   <translation>此文件只含一组权重。</translation>
  </message>
  <message>
   <source>Tied tensors count once</source>
   <translation>共享张量只计一次</translation>
  </message>
  <message>
   <source>Weights</source>
   <translation>权重</translation>
  </message>
  <message>
   <source>averaged copy (EMA)</source>
   <translation>平均副本 (EMA)</translation>
  </message>
  <message>
   <source>nothing beyond what the file says</source>
   <translation>除文件所述外不再冻结</translation>
  </message>
  <message>
   <source>the model's own</source>
   <translation>模型自身的权重</translation>
  </message>
  <message>
   <source>{count}, such as {other}, which is {owner}</source>
   <translation>{count} 个，例如 {other}，它就是 {owner}</translation>
  </message>
  <message>
   <source>{trained} parameters are trained, {frozen} frozen.</source>
   <translation>训练 {trained} 个参数，冻结 {frozen} 个。</translation>
  </message>
 </context>
 <context>
  <name>ComparisonFilters</name>
  <message>
   <source>&amp;Family</source>
   <translation>系列(&amp;F)</translation>
  </message>
  <message>
   <source>&amp;Library</source>
   <translation>库(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Proof</source>
   <translation>验证(&amp;P)</translation>
  </message>
  <message>
   <source>All</source>
   <translation>全部</translation>
  </message>
  <message>
   <source>Filter</source>
   <translation>筛选</translation>
  </message>
  <message>
   <source>Filter ({count})</source>
   <translation>筛选（{count}）</translation>
  </message>
  <message>
   <source>Search the optimizers</source>
   <translation>搜索优化器</translation>
  </message>
  <message>
   <source>Search: name, library, family</source>
   <translation>搜索：名称、库、系列</translation>
  </message>
  <message>
   <source>Show &amp;everything</source>
   <translation>显示全部(&amp;E)</translation>
  </message>
  <message>
   <source>Show one library, one family, or what was proven in one way</source>
   <translation>只显示某个库、某个系列，或以某种方式验证的优化器</translation>
  </message>
 </context>
 <context>
  <name>ComparisonModel</name>
  <message>
   <source>Optimizer</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>cannot run</source>
   <translation>无法运行</translation>
  </message>
  <message>
   <source>change</source>
   <translation>差值</translation>
  </message>
  <message>
   <source>chosen</source>
   <translation>当前</translation>
  </message>
  <message>
   <source>family</source>
   <translation>系列</translation>
  </message>
  <message>
   <source>fits</source>
   <translation>装下</translation>
  </message>
  <message>
   <source>no</source>
   <translation>否</translation>
  </message>
  <message>
   <source>not predicted</source>
   <translation>不预测</translation>
  </message>
  <message>
   <source>peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>peak, bytes</source>
   <translation>峰值，字节</translation>
  </message>
  <message>
   <source>proven with</source>
   <translation>验证依据</translation>
  </message>
  <message>
   <source>same</source>
   <translation>相同</translation>
  </message>
  <message>
   <source>state</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>state B/param</source>
   <translation>状态 B/参数</translation>
  </message>
  <message>
   <source>state, bytes</source>
   <translation>状态，字节</translation>
  </message>
  <message>
   <source>temporaries</source>
   <translation>临时张量</translation>
  </message>
  <message>
   <source>temporaries, bytes</source>
   <translation>临时张量，字节</translation>
  </message>
  <message>
   <source>tight</source>
   <translation>临界</translation>
  </message>
  <message>
   <source>yes</source>
   <translation>是</translation>
  </message>
  <message>
   <source>{optimizer}: peak {peak} ({count} bytes) in {phase}; state {state}, temporaries {temporaries}</source>
   <translation>{optimizer}：峰值 {peak}（{count} 字节），位于{phase}；状态 {state}，临时张量 {temporaries}</translation>
  </message>
  <message>
   <source>{optimizer}: state {state} ({count} bytes). It runs in another runtime than torch, whose step is not predicted.</source>
   <translation>{optimizer}：状态 {state}（{count} 字节）。它不在 torch 中运行，不预测其训练步。</translation>
  </message>
  <message>
   <source>{optimizer}: {why}</source>
   <translation>{optimizer}：{why}</translation>
  </message>
 </context>
 <context>
  <name>ComparisonPanel</name>
  <message>
   <source>About this optimizer</source>
   <translation>关于此优化器</translation>
  </message>
  <message>
   <source>Compare optimizers</source>
   <translation>优化器比较</translation>
  </message>
  <message>
   <source>Double-click or press Enter to choose an optimizer; F1 says more</source>
   <translation>双击或按 Enter 选择优化器；按 F1 查看详情</translation>
  </message>
  <message>
   <source>Enter chooses the optimizer of the row, F1 says more</source>
   <translation>按 Enter 选择该行的优化器，按 F1 查看详情</translation>
  </message>
  <message>
   <source>Every optimizer on this model</source>
   <translation>全部优化器在此模型上的比较</translation>
  </message>
  <message>
   <source>state</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>{count} optimizers</source>
   <translation>{count} 种优化器</translation>
  </message>
  <message>
   <source>{optimizers}; line: usable {size}</source>
   <translation>{optimizers}；竖线：可用 {size}</translation>
  </message>
  <message>
   <source>{shown} of {count} optimizers</source>
   <translation>{count} 种优化器中的 {shown} 种</translation>
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
   <source>Inputs</source>
   <translation>输入</translation>
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
  <name>CopyActions</name>
  <message>
   <source>Copy as {notation}</source>
   <translation>复制为 {notation}</translation>
  </message>
  <message>
   <source>Copy rows</source>
   <translation>复制行</translation>
  </message>
 </context>
 <context>
  <name>CrashReport</name>
  <message>
   <source>&amp;Delete</source>
   <translation>删除(&amp;D)</translation>
  </message>
  <message>
   <source>C&amp;lose</source>
   <translation>关闭(&amp;L)</translation>
  </message>
  <message>
   <source>OptMem ended unexpectedly</source>
   <translation>OptMem 意外退出</translation>
  </message>
  <message>
   <source>The last time OptMem ran, it ended without being asked to. The text below says where; it stays on this computer unless you copy it.</source>
   <translation>OptMem 上次运行时意外退出。下面的文字指出了位置；除非您自己复制，它只留在本机。</translation>
  </message>
  <message>
   <source>{path} cannot be deleted: {why}</source>
   <translation>无法删除 {path}：{why}</translation>
  </message>
 </context>
 <context>
  <name>Curves</name>
  <message>
   <source>device used</source>
   <translation>设备已用</translation>
  </message>
  <message>
   <source>process used</source>
   <translation>进程占用</translation>
  </message>
  <message>
   <source>resident in host memory</source>
   <translation>主机内存驻留</translation>
  </message>
  <message>
   <source>torch allocated</source>
   <translation>torch 已分配</translation>
  </message>
  <message>
   <source>torch reserved</source>
   <translation>torch 已保留</translation>
  </message>
 </context>
 <context>
  <name>DecidePanel</name>
  <message>
   <source>Another scenario beside this one</source>
   <translation>把另一个方案与当前方案并列</translation>
  </message>
  <message>
   <source>Every GPU, and how many are needed</source>
   <translation>每种 GPU，以及需要多少张</translation>
  </message>
  <message>
   <source>Every optimizer on this model</source>
   <translation>全部优化器在此模型上的比较</translation>
  </message>
  <message>
   <source>GPUs</source>
   <translation>GPU</translation>
  </message>
  <message>
   <source>Optimizers</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>Pinned</source>
   <translation>已固定</translation>
  </message>
  <message>
   <source>Single changes that lower the peak</source>
   <translation>能降低峰值的单项更改</translation>
  </message>
  <message>
   <source>Ways</source>
   <translation>办法</translation>
  </message>
 </context>
 <context>
  <name>Deciding</name>
  <message>
   <source>Open a scenario as A</source>
   <translation>打开方案作为 A</translation>
  </message>
  <message>
   <source>OptMem scenario</source>
   <translation>OptMem 方案</translation>
  </message>
 </context>
 <context>
  <name>DescribeDialog</name>
  <message>
   <source>&amp;Name</source>
   <translation>名称(&amp;N)</translation>
  </message>
  <message>
   <source>N&amp;ote</source>
   <translation>备注(&amp;O)</translation>
  </message>
  <message>
   <source>Name and note</source>
   <translation>名称与备注</translation>
  </message>
 </context>
 <context>
  <name>DifferenceModel</name>
  <message>
   <source>Component</source>
   <translation>组成部分</translation>
  </message>
  <message>
   <source>difference</source>
   <translation>差值</translation>
  </message>
  <message>
   <source>estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>estimated {estimated} bytes, simulated {simulated} bytes</source>
   <translation>估算 {estimated} 字节，模拟 {simulated} 字节</translation>
  </message>
  <message>
   <source>estimated, bytes</source>
   <translation>估算，字节</translation>
  </message>
  <message>
   <source>exact</source>
   <translation>完全一致</translation>
  </message>
  <message>
   <source>peak allocated</source>
   <translation>已分配峰值</translation>
  </message>
  <message>
   <source>peak in {phase}</source>
   <translation>{phase}阶段峰值</translation>
  </message>
  <message>
   <source>peak reserved</source>
   <translation>已保留峰值</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>simulated, bytes</source>
   <translation>模拟，字节</translation>
  </message>
  <message>
   <source>why</source>
   <translation>原因</translation>
  </message>
 </context>
 <context>
  <name>DropFrame</name>
  <message>
   <source>Open {name}</source>
   <translation>打开 {name}</translation>
  </message>
 </context>
 <context>
  <name>ErrorReport</name>
  <message>
   <source>&amp;Quit</source>
   <translation>退出(&amp;Q)</translation>
  </message>
  <message>
   <source>Co&amp;ntinue</source>
   <translation>继续(&amp;N)</translation>
  </message>
  <message>
   <source>OptMem has a defect</source>
   <translation>OptMem 出现缺陷</translation>
  </message>
  <message>
   <source>Something failed that should not. What you entered is still there. The text below helps to find the cause; it stays on this computer unless you copy it.</source>
   <translation>发生了不应出现的错误。您输入的内容仍然保留。下面的文字有助于查找原因；除非您自己复制，它只留在本机。</translation>
  </message>
 </context>
 <context>
  <name>EstimatedPlot</name>
  <message>
   <source>peak {size}</source>
   <translation>峰值 {size}</translation>
  </message>
  <message>
   <source>usable {size}</source>
   <translation>可用 {size}</translation>
  </message>
 </context>
 <context>
  <name>ExportDialog</name>
  <message>
   <source>&amp;Bar</source>
   <translation>堆叠条(&amp;B)</translation>
  </message>
  <message>
   <source>&amp;Copy picture</source>
   <translation>复制图片(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Format:</source>
   <translation>格式(&amp;F)</translation>
  </message>
  <message>
   <source>&amp;Notes and proofs</source>
   <translation>备注与验证(&amp;N)</translation>
  </message>
  <message>
   <source>&amp;Page:</source>
   <translation>纸张(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Scale:</source>
   <translation>缩放(&amp;S)</translation>
  </message>
  <message>
   <source>B&amp;reakdown</source>
   <translation>明细(&amp;R)</translation>
  </message>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
  <message>
   <source>How it will look</source>
   <translation>预览</translation>
  </message>
  <message>
   <source>On the picture</source>
   <translation>图片包含</translation>
  </message>
  <message>
   <source>One s&amp;tep</source>
   <translation>一个训练步(&amp;T)</translation>
  </message>
  <message>
   <source>Sa&amp;ve...</source>
   <translation>保存(&amp;V)...</translation>
  </message>
  <message>
   <source>{width} x {height} pixels</source>
   <translation>{width} x {height} 像素</translation>
  </message>
 </context>
 <context>
  <name>Exporting</name>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
  <message>
   <source>Exporting...</source>
   <translation>正在导出...</translation>
  </message>
 </context>
 <context>
  <name>FilePage</name>
  <message>
   <source>... and {number} more (hover to read them)</source>
   <translation>……还有 {number} 条（悬停查看）</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>取消</translation>
  </message>
  <message>
   <source>Checkpoint or config.&amp;json</source>
   <translation>检查点或 config.json(&amp;J)</translation>
  </message>
  <message>
   <source>Checkpoint or config.json</source>
   <translation>检查点或 config.json</translation>
  </message>
  <message>
   <source>Folder...</source>
   <translation>文件夹...</translation>
  </message>
  <message>
   <source>Holds the state of {optimizer}, {size}.</source>
   <translation>含 {optimizer} 的状态，{size}。</translation>
  </message>
  <message>
   <source>Its modules, the optimizer in it, and how it is understood (F4)</source>
   <translation>其模块、其中的优化器，以及对它的解读 (F4)</translation>
  </message>
  <message>
   <source>Look inside</source>
   <translation>查看内部</translation>
  </message>
  <message>
   <source>Nothing was loaded: {read} of {size} read.</source>
   <translation>未加载任何权重：只读取了 {size} 中的 {read}。</translation>
  </message>
  <message>
   <source>Open file...</source>
   <translation>打开文件...</translation>
  </message>
  <message>
   <source>Partial: the figures are of what is there</source>
   <translation>不完整：数值只反映现有内容</translation>
  </message>
  <message>
   <source>Progress of reading the file</source>
   <translation>文件读取进度</translation>
  </message>
  <message>
   <source>none: open one, or drop it here</source>
   <translation>无：请打开文件，或拖放到此处</translation>
  </message>
  <message>
   <source>{count} parameters in {tensors} tensors, {dtypes}</source>
   <translation>{count} 个参数，{tensors} 个张量，{dtypes}</translation>
  </message>
 </context>
 <context>
  <name>Files</name>
  <message>
   <source>All files</source>
   <translation>所有文件</translation>
  </message>
  <message>
   <source>Clear list</source>
   <translation>清空列表</translation>
  </message>
  <message>
   <source>Models, scenarios and memory snapshots</source>
   <translation>模型、方案与内存快照</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>打开</translation>
  </message>
  <message>
   <source>Open folder</source>
   <translation>打开文件夹</translation>
  </message>
  <message>
   <source>OptMem scenario</source>
   <translation>OptMem 方案</translation>
  </message>
  <message>
   <source>Save scenario</source>
   <translation>保存方案</translation>
  </message>
 </context>
 <context>
  <name>FirstRunBar</name>
  <message>
   <source>Choose a preset</source>
   <translation>选择预设</translation>
  </message>
  <message>
   <source>Do not show this again</source>
   <translation>不再显示</translation>
  </message>
  <message>
   <source>Open file...</source>
   <translation>打开文件...</translation>
  </message>
  <message>
   <source>This is an example. Open or drop a checkpoint of your own, choose a known model, or type a number of parameters.</source>
   <translation>这是一个示例。请打开或拖入您自己的检查点，选择已知模型，或输入参数量。</translation>
  </message>
 </context>
 <context>
  <name>FitsOnPanel</name>
  <message>
   <source>Enter chooses the GPU of the row</source>
   <translation>按 Enter 选择该行的 GPU</translation>
  </message>
  <message>
   <source>Every GPU and whether this fits</source>
   <translation>每种 GPU 及能否装下</translation>
  </message>
  <message>
   <source>Fits on</source>
   <translation>装得下的 GPU</translation>
  </message>
  <message>
   <source>GPU</source>
   <translation>GPU</translation>
  </message>
  <message>
   <source>Search the GPUs</source>
   <translation>搜索 GPU</translation>
  </message>
  <message>
   <source>Search: name, product line, yes, no</source>
   <translation>搜索：名称、产品线、是、否</translation>
  </message>
  <message>
   <source>being computed</source>
   <translation>正在计算</translation>
  </message>
  <message>
   <source>fits</source>
   <translation>装下</translation>
  </message>
  <message>
   <source>fits on {count} of {all} GPUs; a double click chooses one</source>
   <translation>{all} 种 GPU 中有 {count} 种装得下；双击即可选择</translation>
  </message>
  <message>
   <source>margin</source>
   <translation>余量</translation>
  </message>
  <message>
   <source>margin, bytes</source>
   <translation>余量，字节</translation>
  </message>
  <message>
   <source>needed</source>
   <translation>所需张数</translation>
  </message>
  <message>
   <source>no</source>
   <translation>否</translation>
  </message>
  <message>
   <source>tight</source>
   <translation>临界</translation>
  </message>
  <message>
   <source>usable, bytes</source>
   <translation>可用，字节</translation>
  </message>
  <message>
   <source>yes</source>
   <translation>是</translation>
  </message>
  <message>
   <source>{gpu}, {usable} usable: fits as it is</source>
   <translation>{gpu}，可用 {usable}：一张即可装下</translation>
  </message>
  <message>
   <source>{gpu}, {usable} usable: no number of them up to 1,024 is sure to be enough with FSDP2</source>
   <translation>{gpu}，可用 {usable}：使用 FSDP2 时，不超过 1,024 张的任何数量都不确定够用</translation>
  </message>
  <message>
   <source>{gpu}, {usable} usable: surely fits on {needed} of them, shared by FSDP2 at the same batch</source>
   <translation>{gpu}，可用 {usable}：批大小不变，由 FSDP2 分摊到 {needed} 张上，确定装得下</translation>
  </message>
 </context>
 <context>
  <name>FunctionDialog</name>
  <message>
   <source>&amp;Measure</source>
   <translation>测量(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Simulate</source>
   <translation>模拟(&amp;S)</translation>
  </message>
  <message>
   <source>Choose...</source>
   <translation>选择...</translation>
  </message>
  <message>
   <source>F&amp;unction</source>
   <translation>函数(&amp;U)</translation>
  </message>
  <message>
   <source>Measure a function of your own</source>
   <translation>测量您自己的函数</translation>
  </message>
  <message>
   <source>Python &amp;file</source>
   <translation>Python 文件(&amp;F)</translation>
  </message>
  <message>
   <source>Python file</source>
   <translation>Python 文件</translation>
  </message>
  <message>
   <source>Python files</source>
   <translation>Python 文件</translation>
  </message>
  <message>
   <source>Run this function</source>
   <translation>运行此函数</translation>
  </message>
  <message>
   <source>Run {name} in {path}, under {python}? It can do whatever its code says.</source>
   <translation>用 {python} 运行 {path} 中的 {name}？它可以做其代码所写的任何事情。</translation>
  </message>
  <message>
   <source>Simulate a function of your own</source>
   <translation>模拟您自己的函数</translation>
  </message>
  <message>
   <source>The function returns model, batch and loss, or model and a loss that makes its own batch. It is called once and its step is traced, with the optimizer and the other settings of this window, in a process of its own under {python}. Nothing leaves this computer.</source>
   <translation>该函数返回模型、批次和损失，或返回模型以及自行生成批次的损失。函数被调用一次，随后用此窗口中的优化器和其他设置追踪其训练步；整个过程在 {python} 的独立进程中进行。任何内容都不会离开本机。</translation>
  </message>
  <message>
   <source>The function returns model, batch and loss, or model and a loss that makes its own batch. It is called once and real steps of it run, with the optimizer and the other settings of this window, in a process of its own under {python}. Nothing leaves this computer.</source>
   <translation>该函数返回模型、批次和损失，或返回模型以及自行生成批次的损失。函数被调用一次，随后用此窗口中的优化器和其他设置运行其真实训练步；整个过程在 {python} 的独立进程中进行。任何内容都不会离开本机。</translation>
  </message>
 </context>
 <context>
  <name>GpuChooser</name>
  <message>
   <source>&amp;GPU</source>
   <translation>GPU(&amp;G)</translation>
  </message>
  <message>
   <source>GPU</source>
   <translation>GPU</translation>
  </message>
  <message>
   <source>The GPU that the verdict is for; type to search</source>
   <translation>判断能否装下所用的 GPU；输入即可搜索</translation>
  </message>
  <message>
   <source>no GPU chosen</source>
   <translation>未选择 GPU</translation>
  </message>
  <message>
   <source>{usable} usable of {total}; {source}</source>
   <translation>总共 {total}，可用 {usable}；{source}</translation>
  </message>
 </context>
 <context>
  <name>GpuGroups</name>
  <message>
   <source>GeForce GTX 10/16 and TITAN</source>
   <translation>GeForce GTX 10/16 与 TITAN</translation>
  </message>
  <message>
   <source>GeForce RTX 20 and TITAN RTX</source>
   <translation>GeForce RTX 20 与 TITAN RTX</translation>
  </message>
  <message>
   <source>GeForce RTX 30 desktop</source>
   <translation>GeForce RTX 30 台式机</translation>
  </message>
  <message>
   <source>GeForce RTX 30 laptop</source>
   <translation>GeForce RTX 30 笔记本</translation>
  </message>
  <message>
   <source>GeForce RTX 40 desktop</source>
   <translation>GeForce RTX 40 台式机</translation>
  </message>
  <message>
   <source>GeForce RTX 40 laptop</source>
   <translation>GeForce RTX 40 笔记本</translation>
  </message>
  <message>
   <source>GeForce RTX 50 desktop</source>
   <translation>GeForce RTX 50 台式机</translation>
  </message>
  <message>
   <source>GeForce RTX 50 laptop</source>
   <translation>GeForce RTX 50 笔记本</translation>
  </message>
  <message>
   <source>Quadro and RTX A</source>
   <translation>Quadro 与 RTX A</translation>
  </message>
  <message>
   <source>RTX Ada workstation</source>
   <translation>RTX Ada 工作站</translation>
  </message>
  <message>
   <source>RTX PRO Blackwell</source>
   <translation>RTX PRO Blackwell</translation>
  </message>
  <message>
   <source>Tesla and data centre</source>
   <translation>Tesla 与数据中心</translation>
  </message>
 </context>
 <context>
  <name>HeadlinePanel</name>
  <message>
   <source>Compared with the estimate for that device and its version of torch: {size}</source>
   <translation>与该设备及其 torch 版本的估算值相比：{size}</translation>
  </message>
  <message>
   <source>Context and reserve</source>
   <translation>上下文与保留</translation>
  </message>
  <message>
   <source>Does not fit: at least {missing} more than the {usable} usable on {gpu}</source>
   <translation>装不下：至少比 {gpu} 可用的 {usable} 多出 {missing}</translation>
  </message>
  <message>
   <source>Fits: {free} free of {usable} usable on {gpu}</source>
   <translation>装得下：{gpu} 可用 {usable}，还剩 {free}</translation>
  </message>
  <message>
   <source>Memory at the peak, by component</source>
   <translation>峰值时的显存，按组成部分</translation>
  </message>
  <message>
   <source>No GPU chosen: choose one to see whether this fits</source>
   <translation>未选择 GPU：选择一款即可判断能否装下</translation>
  </message>
  <message>
   <source>On the worst of {count} ranks: {why}</source>
   <translation>{count} 个 rank 中占用最高者：{why}</translation>
  </message>
  <message>
   <source>The driver will show {low} to {high} for the process</source>
   <translation>驱动将显示该进程占用 {low} 至 {high}</translation>
  </message>
  <message>
   <source>The estimate of {size} differs by {error} from this</source>
   <translation>估算值 {size} 与此相差 {error}</translation>
  </message>
  <message>
   <source>The system will show {low} to {high} for the process</source>
   <translation>系统将显示该进程占用 {low} 至 {high}</translation>
  </message>
  <message>
   <source>Tight: from {free} free to {missing} missing, of {usable} usable on {gpu}</source>
   <translation>临界：{gpu} 可用 {usable}，从剩余 {free} 到缺少 {missing}</translation>
  </message>
  <message>
   <source>Up to {size} beyond what is allocated: CUDA context, segments that the caching allocator keeps, fragmentation</source>
   <translation>在已分配之外最多还有 {size}：CUDA 上下文、缓存分配器保留的内存段、碎片</translation>
  </message>
  <message>
   <source>What makes up allocated, reserved and the process?</source>
   <translation>已分配、已保留与进程占用由什么构成？</translation>
  </message>
  <message>
   <source>allocated</source>
   <translation>已分配</translation>
  </message>
  <message>
   <source>does not fit</source>
   <translation>装不下</translation>
  </message>
  <message>
   <source>ends at the capacity</source>
   <translation>在容量处终止</translation>
  </message>
  <message>
   <source>estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>exact</source>
   <translation>完全一致</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>inputs changed</source>
   <translation>输入已更改</translation>
  </message>
  <message>
   <source>measured</source>
   <translation>实测</translation>
  </message>
  <message>
   <source>not measured</source>
   <translation>未测量</translation>
  </message>
  <message>
   <source>not simulated</source>
   <translation>未模拟</translation>
  </message>
  <message>
   <source>of a function</source>
   <translation>来自函数</translation>
  </message>
  <message>
   <source>running</source>
   <translation>运行中</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>starting</source>
   <translation>正在启动</translation>
  </message>
  <message>
   <source>stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>stopping</source>
   <translation>正在停止</translation>
  </message>
  <message>
   <source>usable {usable}</source>
   <translation>可用 {usable}</translation>
  </message>
  <message>
   <source>{error} on {device}</source>
   <translation>{error}，{device}</translation>
  </message>
  <message>
   <source>{peak} at the peak, between steps</source>
   <translation>峰值 {peak}，位于两步之间</translation>
  </message>
  <message>
   <source>{peak} at the peak, in backward</source>
   <translation>峰值 {peak}，位于反向阶段</translation>
  </message>
  <message>
   <source>{peak} at the peak, in forward</source>
   <translation>峰值 {peak}，位于前向阶段</translation>
  </message>
  <message>
   <source>{peak} at the peak, in the optimizer step</source>
   <translation>峰值 {peak}，位于优化器更新阶段</translation>
  </message>
  <message>
   <source>{peak} at the peak, while loading</source>
   <translation>峰值 {peak}，位于加载阶段</translation>
  </message>
  <message>
   <source>{peak}: {parts}. {verdict}.</source>
   <translation>{peak}：{parts}。{verdict}。</translation>
  </message>
  <message>
   <source>{size} at the peak ({count} bytes), {share} of it</source>
   <translation>峰值时 {size}（{count} 字节），占 {share}</translation>
  </message>
  <message>
   <source>{size} reserved</source>
   <translation>已保留 {size}</translation>
  </message>
  <message>
   <source>{text} (for the last valid input)</source>
   <translation>{text}（基于上一次有效输入）</translation>
  </message>
  <message>
   <source>{text}; {host} of host memory</source>
   <translation>{text}；主机内存 {host}</translation>
  </message>
 </context>
 <context>
  <name>Largest</name>
  <message>
   <source>Being computed</source>
   <translation>正在计算</translation>
  </message>
  <message>
   <source>Largest batch: {value}</source>
   <translation>最大批大小：{value}</translation>
  </message>
  <message>
   <source>Longest sequence: {value}</source>
   <translation>最长序列：{value}</translation>
  </message>
  <message>
   <source>Not even 1 fits</source>
   <translation>连 1 也装不下</translation>
  </message>
  <message>
   <source>Nothing surely fits; this may</source>
   <translation>没有确定装得下的值；此值可能装得下</translation>
  </message>
  <message>
   <source>Put it in: the most that surely fits</source>
   <translation>填入：确定装得下的最大值</translation>
  </message>
  <message>
   <source>Put it in: the most that surely fits; up to {count} may</source>
   <translation>填入：确定装得下的最大值；最多 {count} 可能装得下</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>perhaps {count}</source>
   <translation>可能 {count}</translation>
  </message>
 </context>
 <context>
  <name>Lists</name>
  <message>
   <source>, </source>
   <translation>，</translation>
  </message>
  <message>
   <source>; </source>
   <translation>；</translation>
  </message>
  <message>
   <source>{name}: {text}</source>
   <translation>{name}：{text}</translation>
  </message>
 </context>
 <context>
  <name>LoraPanel</name>
  <message>
   <source>&amp;Targets</source>
   <translation>目标模块(&amp;T)</translation>
  </message>
  <message>
   <source>Adapters</source>
   <translation>适配器</translation>
  </message>
  <message>
   <source>Base &amp;dtype</source>
   <translation>基座类型(&amp;D)</translation>
  </message>
  <message>
   <source>How the frozen base is held</source>
   <translation>冻结的基座以何种类型保存</translation>
  </message>
  <message>
   <source>Module names separated by commas, or all-linear</source>
   <translation>以逗号分隔的模块名，或 all-linear</translation>
  </message>
  <message>
   <source>Ra&amp;nk</source>
   <translation>秩(&amp;N)</translation>
  </message>
  <message>
   <source>Rank of each pair of adapter matrices</source>
   <translation>每对适配器矩阵的秩</translation>
  </message>
  <message>
   <source>The base is frozen: no gradients, no optimizer state</source>
   <translation>基座已冻结：没有梯度，也没有优化器状态</translation>
  </message>
  <message>
   <source>Train LoRA adapters onl&amp;y</source>
   <translation>只训练 LoRA 适配器(&amp;Y)</translation>
  </message>
  <message>
   <source>int8 (LLM.int8)</source>
   <translation>int8 (LLM.int8)</translation>
  </message>
  <message>
   <source>nf4 (4 bits)</source>
   <translation>nf4 (4 位)</translation>
  </message>
  <message>
   <source>nf4, double quantized</source>
   <translation>nf4，双重量化</translation>
  </message>
  <message>
   <source>{count} parameters are trained</source>
   <translation>训练 {count} 个参数</translation>
  </message>
 </context>
 <context>
  <name>MainWindow</name>
  <message>
   <source>All figures in {unit} ({power} bytes). Offline: nothing leaves this computer.</source>
   <translation>所有数值均以 {unit}（{power} 字节）为单位。离线运行：任何数据都不会离开本机。</translation>
  </message>
  <message>
   <source>Inputs and results</source>
   <translation>输入与结果</translation>
  </message>
  <message>
   <source>Save changes</source>
   <translation>保存更改</translation>
  </message>
  <message>
   <source>{name} was changed. Save it?</source>
   <translation>{name} 已更改。是否保存？</translation>
  </message>
 </context>
 <context>
  <name>MeasureOptionsDialog</name>
  <message>
   <source>&amp;Compile the model (torch.compile)</source>
   <translation>编译模型 (torch.compile)(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Measure</source>
   <translation>测量(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Steps</source>
   <translation>步数(&amp;S)</translation>
  </message>
  <message>
   <source>Allocator's history</source>
   <translation>分配器历史</translation>
  </message>
  <message>
   <source>Goes with one device only, and several GPUs are chosen</source>
   <translation>只适用于单个设备，而当前选择了多张 GPU</translation>
  </message>
  <message>
   <source>Measure with</source>
   <translation>测量选项</translation>
  </message>
  <message>
   <source>Memory snapshots</source>
   <translation>内存快照</translation>
  </message>
  <message>
   <source>Only a GPU has a caching allocator with a history</source>
   <translation>只有 GPU 才有带历史的缓存分配器</translation>
  </message>
  <message>
   <source>Open a checkpoint first: the values come from its files</source>
   <translation>请先打开检查点：这些值来自它的文件</translation>
  </message>
  <message>
   <source>The &amp;file's own values in place of random ones</source>
   <translation>用文件自身的值代替随机值(&amp;F)</translation>
  </message>
  <message>
   <source>The first one allocates the optimizer state and is told apart; the others show the spread</source>
   <translation>第一步会分配优化器状态，单独列出；其余各步显示波动范围</translation>
  </message>
  <message>
   <source>What compiled kernels keep and use beside is not predicted</source>
   <translation>编译后的内核另外保留和使用的部分不作预测</translation>
  </message>
  <message>
   <source>Write the allocator's &amp;history to a file...</source>
   <translation>把分配器历史写入文件(&amp;H)...</translation>
  </message>
 </context>
 <context>
  <name>MeasuredPlot</name>
  <message>
   <source>peak {size}</source>
   <translation>峰值 {size}</translation>
  </message>
  <message>
   <source>seconds</source>
   <translation>秒</translation>
  </message>
  <message>
   <source>step {number}</source>
   <translation>第 {number} 步</translation>
  </message>
  <message>
   <source>usable {size}</source>
   <translation>可用 {size}</translation>
  </message>
 </context>
 <context>
  <name>MeasuredResults</name>
  <message>
   <source>Delete measurements</source>
   <translation>删除测量记录</translation>
  </message>
  <message>
   <source>Delete the measurement of {model} for good?</source>
   <translation>永久删除 {model} 的测量记录？</translation>
  </message>
  <message>
   <source>Delete {count} measurements for good?</source>
   <translation>永久删除 {count} 条测量记录？</translation>
  </message>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
  <message>
   <source>Measurement</source>
   <translation>测量</translation>
  </message>
  <message>
   <source>Open a measurement</source>
   <translation>打开测量记录</translation>
  </message>
 </context>
 <context>
  <name>MeasurementPanel</name>
  <message>
   <source>Building the model</source>
   <translation>正在构建模型</translation>
  </message>
  <message>
   <source>Do not measure</source>
   <translation>不测量</translation>
  </message>
  <message>
   <source>Estimated and measured, by component</source>
   <translation>各组成部分的估算值与实测值</translation>
  </message>
  <message>
   <source>Measure anyway</source>
   <translation>仍然测量</translation>
  </message>
  <message>
   <source>Measure {count} parameters instead</source>
   <translation>改为测量 {count} 参数</translation>
  </message>
  <message>
   <source>Measurement</source>
   <translation>测量</translation>
  </message>
  <message>
   <source>Preparing: asking the driver what is free</source>
   <translation>准备中：正在向驱动查询空闲显存</translation>
  </message>
  <message>
   <source>Progress of the measurement</source>
   <translation>测量进度</translation>
  </message>
  <message>
   <source>Starting a process of its own and importing torch</source>
   <translation>正在启动独立进程并导入 torch</translation>
  </message>
  <message>
   <source>Step {step} of {steps}: {phase}</source>
   <translation>第 {step}/{steps} 步：{phase}</translation>
  </message>
  <message>
   <source>Stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>Stopping</source>
   <translation>正在停止</translation>
  </message>
  <message>
   <source>Technical detail</source>
   <translation>技术细节</translation>
  </message>
  <message>
   <source>on the CPU: torch's allocations, no GPU involved</source>
   <translation>在 CPU 上：torch 的内存分配，不涉及 GPU</translation>
  </message>
  <message>
   <source>on {device}</source>
   <translation>在 {device} 上</translation>
  </message>
  <message>
   <source>process {size} in host memory</source>
   <translation>进程占用主机内存 {size}</translation>
  </message>
  <message>
   <source>process {size} on the GPU</source>
   <translation>进程占用 GPU 显存 {size}</translation>
  </message>
  <message>
   <source>torch allocated {now}, peak {peak}</source>
   <translation>torch 已分配 {now}，峰值 {peak}</translation>
  </message>
  <message>
   <source>{count} parameters, {steps} real steps in {seconds} s with torch {torch}</source>
   <translation>{count} 个参数，{steps} 个真实训练步，耗时 {seconds} s，torch {torch}</translation>
  </message>
 </context>
 <context>
  <name>ModelPanel</name>
  <message>
   <source>&amp;Parameters</source>
   <translation>参数量(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Preset</source>
   <translation>预设模型(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Which parameters are trained</source>
   <translation>训练哪些参数(&amp;W)</translation>
  </message>
  <message>
   <source>A published model; type to search</source>
   <translation>公开发布的模型；输入即可搜索</translation>
  </message>
  <message>
   <source>A regular expression that is searched for in each name, such as lm_head|norm, or all</source>
   <translation>在每个名称中搜索的正则表达式，例如 lm_head|norm，或填 all</translation>
  </message>
  <message>
   <source>File</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>How many: 7B, 125M, 6.74e9 or 7,000,000,000</source>
   <translation>数量：7B、125M、6.74e9 或 7,000,000,000</translation>
  </message>
  <message>
   <source>Looking for the names that match</source>
   <translation>正在查找匹配的名称</translation>
  </message>
  <message>
   <source>Model</source>
   <translation>模型</translation>
  </message>
  <message>
   <source>Parameters</source>
   <translation>参数量</translation>
  </message>
  <message>
   <source>Preset</source>
   <translation>预设</translation>
  </message>
  <message>
   <source>as the model comes</source>
   <translation>以模型为准</translation>
  </message>
  <message>
   <source>{count} parameters</source>
   <translation>{count} 个参数</translation>
  </message>
  <message>
   <source>{exact} in {tensors} tensors</source>
   <translation>{exact}，{tensors} 个张量</translation>
  </message>
  <message>
   <source>{exact}, a single tensor</source>
   <translation>{exact}，单个张量</translation>
  </message>
  <message>
   <source>{exact}, {active} of them active for a token</source>
   <translation>{exact}，每个 token 激活其中 {active} 个</translation>
  </message>
  <message>
   <source>{exact}: {layers} layers, width {hidden}, vocabulary {vocab}</source>
   <translation>{exact}：{layers} 层，宽度 {hidden}，词表 {vocab}</translation>
  </message>
  <message>
   <source>{trained} of {count} parameters are trained, the others frozen</source>
   <translation>{count} 个参数中训练 {trained} 个，其余冻结</translation>
  </message>
 </context>
 <context>
  <name>Models</name>
  <message>
   <source>{count} parameters</source>
   <translation>{count} 参数</translation>
  </message>
 </context>
 <context>
  <name>ModuleTreeModel</name>
  <message>
   <source>In the file</source>
   <translation>文件中</translation>
  </message>
  <message>
   <source>Module or tensor</source>
   <translation>模块或张量</translation>
  </message>
  <message>
   <source>Parameters</source>
   <translation>参数量</translation>
  </message>
  <message>
   <source>Shape</source>
   <translation>形状</translation>
  </message>
  <message>
   <source>Tensors</source>
   <translation>张量数</translation>
  </message>
  <message>
   <source>Type</source>
   <translation>类型</translation>
  </message>
  <message>
   <source>What it is</source>
   <translation>内容</translation>
  </message>
  <message>
   <source>bytes</source>
   <translation>字节</translation>
  </message>
  <message>
   <source>whole model</source>
   <translation>整个模型</translation>
  </message>
  <message>
   <source>{logical} in {stored}</source>
   <translation>{logical}（存于 {stored}）</translation>
  </message>
  <message>
   <source>{name}: {count} parameters, {bytes} bytes in the file as {types}</source>
   <translation>{name}：{count} 个参数，在文件中占 {bytes} 字节，类型为 {types}</translation>
  </message>
 </context>
 <context>
  <name>ModuleTreeView</name>
  <message>
   <source>Modules and tensors</source>
   <translation>模块与张量</translation>
  </message>
 </context>
 <context>
  <name>ModulesView</name>
  <message>
   <source>Search</source>
   <translation>搜索</translation>
  </message>
  <message>
   <source>Search among the tensors</source>
   <translation>在张量中搜索</translation>
  </message>
  <message>
   <source>Show what holds this module (Backspace)</source>
   <translation>显示此模块的上一级（Backspace）</translation>
  </message>
  <message>
   <source>Treemap of the modules by their size in the file</source>
   <translation>按文件中的大小绘制的模块矩形树图</translation>
  </message>
  <message>
   <source>Zoom out</source>
   <translation>缩小</translation>
  </message>
  <message>
   <source>the first {count} are listed</source>
   <translation>列出前 {count} 个</translation>
  </message>
  <message>
   <source>words of a name, such as experts.7 up</source>
   <translation>名称中的词，例如 experts.7 up</translation>
  </message>
  <message>
   <source>{count} tensors found: {params} parameters, {size} in the file</source>
   <translation>找到 {count} 个张量：{params} 个参数，在文件中占 {size}</translation>
  </message>
 </context>
 <context>
  <name>NoticeBar</name>
  <message>
   <source>Close this notice</source>
   <translation>关闭此通知</translation>
  </message>
 </context>
 <context>
  <name>OptimizerPageDialog</name>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Train with it</source>
   <translation>用它训练(&amp;T)</translation>
  </message>
  <message>
   <source>About this optimizer</source>
   <translation>关于此优化器</translation>
  </message>
  <message>
   <source>Also found as</source>
   <translation>其他名称</translation>
  </message>
  <message>
   <source>B/param</source>
   <translation>B/参数</translation>
  </message>
  <message>
   <source>Family</source>
   <translation>系列</translation>
  </message>
  <message>
   <source>Id</source>
   <translation>标识</translation>
  </message>
  <message>
   <source>Import path</source>
   <translation>导入路径</translation>
  </message>
  <message>
   <source>None.</source>
   <translation>无。</translation>
  </message>
  <message>
   <source>Not predicted: it cannot train this model.</source>
   <translation>不预测：它无法训练此模型。</translation>
  </message>
  <message>
   <source>Not predicted: it runs in another runtime than torch.</source>
   <translation>不预测：它不在 torch 中运行。</translation>
  </message>
  <message>
   <source>Often believed otherwise:</source>
   <translation>常见的误解：</translation>
  </message>
  <message>
   <source>Options that change memory</source>
   <translation>影响显存的选项</translation>
  </message>
  <message>
   <source>Proof</source>
   <translation>验证</translation>
  </message>
  <message>
   <source>Rules read in</source>
   <translation>规则出处</translation>
  </message>
  <message>
   <source>Runs in</source>
   <translation>运行环境</translation>
  </message>
  <message>
   <source>State is made</source>
   <translation>状态创建于</translation>
  </message>
  <message>
   <source>This is an estimate, not an exact count.</source>
   <translation>此为估算，并非精确计数。</translation>
  </message>
  <message>
   <source>What it keeps</source>
   <translation>保留的内容</translation>
  </message>
  <message>
   <source>What its step takes beside that</source>
   <translation>更新时的额外占用</translation>
  </message>
  <message>
   <source>Where this is known from</source>
   <translation>依据与出处</translation>
  </message>
  <message>
   <source>With other options also: {states}.</source>
   <translation>使用其他选项时还有：{states}。</translation>
  </message>
  <message>
   <source>automatic</source>
   <translation>自动</translation>
  </message>
  <message>
   <source>changes</source>
   <translation>影响</translation>
  </message>
  <message>
   <source>default</source>
   <translation>默认值</translation>
  </message>
  <message>
   <source>dtype</source>
   <translation>dtype</translation>
  </message>
  <message>
   <source>formula and why</source>
   <translation>公式与原因</translation>
  </message>
  <message>
   <source>in the first step</source>
   <translation>第一步</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>off</source>
   <translation>关</translation>
  </message>
  <message>
   <source>on</source>
   <translation>开</translation>
  </message>
  <message>
   <source>option</source>
   <translation>选项</translation>
  </message>
  <message>
   <source>set to</source>
   <translation>当前值</translation>
  </message>
  <message>
   <source>size</source>
   <translation>大小</translation>
  </message>
  <message>
   <source>state</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>temporaries</source>
   <translation>临时张量</translation>
  </message>
  <message>
   <source>what it does</source>
   <translation>作用</translation>
  </message>
  <message>
   <source>when the optimizer is made</source>
   <translation>创建优化器时</translation>
  </message>
  <message>
   <source>{kind}: {what}</source>
   <translation>{kind}：{what}</translation>
  </message>
  <message>
   <source>{size} on {model} in {precision}: {each} bytes a parameter ({bytes} bytes).</source>
   <translation>{model}，{precision}：{size}，每参数 {each} 字节（{bytes} 字节）。</translation>
  </message>
 </context>
 <context>
  <name>OptimizerPanel</name>
  <message>
   <source>&amp;Implementation</source>
   <translation>实现(&amp;I)</translation>
  </message>
  <message>
   <source>About this optimizer</source>
   <translation>关于此优化器</translation>
  </message>
  <message>
   <source>Class and library; type to search</source>
   <translation>类名与所属库；输入即可搜索</translation>
  </message>
  <message>
   <source>Its states, formulas, options and sources (F1)</source>
   <translation>其状态、公式、选项与出处 (F1)</translation>
  </message>
  <message>
   <source>Optimizer</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>Proof: {kind}</source>
   <translation>验证：{kind}</translation>
  </message>
  <message>
   <source>Proof: {kind}, {library}</source>
   <translation>验证：{kind}，{library}</translation>
  </message>
  <message>
   <source>Recently used</source>
   <translation>最近使用</translation>
  </message>
  <message>
   <source>automatic</source>
   <translation>自动</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>off</source>
   <translation>关</translation>
  </message>
  <message>
   <source>on</source>
   <translation>开</translation>
  </message>
 </context>
 <context>
  <name>OptimizerView</name>
  <message>
   <source>Beside it {size} of master weights.</source>
   <translation>另有主权重 {size}。</translation>
  </message>
  <message>
   <source>Choose an optimizer by hand: none fits what is in the file.</source>
   <translation>请手动选择优化器：没有一种与文件内容相符。</translation>
  </message>
  <message>
   <source>Elements</source>
   <translation>元素</translation>
  </message>
  <message>
   <source>Every state has the names, sizes and types that this implementation gives it.</source>
   <translation>每个状态的名称、大小和类型都与此实现一致。</translation>
  </message>
  <message>
   <source>In the file</source>
   <translation>文件中</translation>
  </message>
  <message>
   <source>Its state has names or shapes that no optimizer of the catalogue has.</source>
   <translation>其状态的名称或形状不属于目录中的任何优化器。</translation>
  </message>
  <message>
   <source>No optimizer left its state in this checkpoint.</source>
   <translation>此检查点中没有优化器留下的状态。</translation>
  </message>
  <message>
   <source>Set optimizer, options and precision as in the file; can be undone</source>
   <translation>按文件设置优化器、选项与精度；可撤销</translation>
  </message>
  <message>
   <source>Sets {parts}.</source>
   <translation>将设置 {parts}。</translation>
  </message>
  <message>
   <source>State</source>
   <translation>状态</translation>
  </message>
  <message>
   <source>State for {state} parameters, as many as the model trains.</source>
   <translation>{state} 个参数有状态，与模型训练的参数量相同。</translation>
  </message>
  <message>
   <source>State for {state} parameters, but the model trains {trained}.</source>
   <translation>{state} 个参数有状态，而模型训练 {trained} 个参数。</translation>
  </message>
  <message>
   <source>State for {state} parameters; the file has no trained ones to compare with.</source>
   <translation>{state} 个参数有状态；文件中没有可供对照的受训练参数。</translation>
  </message>
  <message>
   <source>State tensors in the file</source>
   <translation>文件中的状态张量</translation>
  </message>
  <message>
   <source>Tensors</source>
   <translation>张量数</translation>
  </message>
  <message>
   <source>The nearest implementation: not every state is exactly as it would make it.</source>
   <translation>最接近的实现：并非每个状态都与它生成的完全一致。</translation>
  </message>
  <message>
   <source>The precision stays: the types in the file fit more than one.</source>
   <translation>精度保持不变：文件中的类型与多种精度相符。</translation>
  </message>
  <message>
   <source>The same file also fits {names}.</source>
   <translation>同一文件也符合 {names}。</translation>
  </message>
  <message>
   <source>The scenario has it: {parts}.</source>
   <translation>方案已采用：{parts}。</translation>
  </message>
  <message>
   <source>Type</source>
   <translation>类型</translation>
  </message>
  <message>
   <source>Use in the scenario</source>
   <translation>用于方案</translation>
  </message>
  <message>
   <source>bytes</source>
   <translation>字节</translation>
  </message>
  <message>
   <source>{count} steps taken.</source>
   <translation>已执行 {count} 步。</translation>
  </message>
  <message>
   <source>{kind}: no known implementation</source>
   <translation>{kind}：没有已知的实现</translation>
  </message>
  <message>
   <source>{number} more</source>
   <translation>另外 {number} 种</translation>
  </message>
  <message>
   <source>{size} of state ({bytes} bytes): {each} bytes a parameter, as {types}.</source>
   <translation>状态 {size}（{bytes} 字节）：每参数 {each} 字节，类型为 {types}。</translation>
  </message>
 </context>
 <context>
  <name>PagesDialog</name>
  <message>
   <source>How memory is used</source>
   <translation>显存如何使用</translation>
  </message>
  <message>
   <source>Page</source>
   <translation>页面</translation>
  </message>
  <message>
   <source>Pages</source>
   <translation>页面</translation>
  </message>
 </context>
 <context>
  <name>Parts</name>
  <message>
   <source>bookkeeping</source>
   <translation>记录用张量</translation>
  </message>
  <message>
   <source>buffers</source>
   <translation>缓冲区</translation>
  </message>
  <message>
   <source>frozen</source>
   <translation>冻结</translation>
  </message>
  <message>
   <source>parameters</source>
   <translation>参数</translation>
  </message>
 </context>
 <context>
  <name>PhaseModel</name>
  <message>
   <source>Phase</source>
   <translation>阶段</translation>
  </message>
  <message>
   <source>at its end</source>
   <translation>结束时</translation>
  </message>
  <message>
   <source>at its start</source>
   <translation>开始时</translation>
  </message>
  <message>
   <source>peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>peak reserved</source>
   <translation>已保留</translation>
  </message>
  <message>
   <source>peak reserved, bytes</source>
   <translation>已保留峰值，字节</translation>
  </message>
  <message>
   <source>peak {peak} bytes allocated, {reserved} bytes reserved</source>
   <translation>峰值：已分配 {peak} 字节，已保留 {reserved} 字节</translation>
  </message>
  <message>
   <source>peak, bytes</source>
   <translation>峰值，字节</translation>
  </message>
  <message>
   <source>step {step}, {phase}</source>
   <translation>第 {step} 步，{phase}</translation>
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
   <source>building the model</source>
   <translation>构建模型</translation>
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
  <message>
   <source>start-up</source>
   <translation>启动</translation>
  </message>
 </context>
 <context>
  <name>PinnedPanel</name>
  <message>
   <source>A and the present scenario by component</source>
   <translation>A 与当前方案，按组成部分</translation>
  </message>
  <message>
   <source>A, bytes</source>
   <translation>A，字节</translation>
  </message>
  <message>
   <source>Against a pinned scenario</source>
   <translation>与固定的方案对比</translation>
  </message>
  <message>
   <source>Keep the present scenario, to set later ones against it</source>
   <translation>保留当前方案，供之后的方案与它对比</translation>
  </message>
  <message>
   <source>Open as A...</source>
   <translation>打开为 A...</translation>
  </message>
  <message>
   <source>Peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>Pin the present scenario, change something, and read what it did.</source>
   <translation>固定当前方案，再作更改，即可看到更改的效果。</translation>
  </message>
  <message>
   <source>Pin this as A</source>
   <translation>固定为 A</translation>
  </message>
  <message>
   <source>Set the present scenario against a saved one</source>
   <translation>把当前方案与已保存的方案对比</translation>
  </message>
  <message>
   <source>Unpin</source>
   <translation>取消固定</translation>
  </message>
  <message>
   <source>change</source>
   <translation>变化</translation>
  </message>
  <message>
   <source>component</source>
   <translation>组成部分</translation>
  </message>
  <message>
   <source>difference</source>
   <translation>差值</translation>
  </message>
  <message>
   <source>difference, bytes</source>
   <translation>差值，字节</translation>
  </message>
  <message>
   <source>does not fit</source>
   <translation>装不下</translation>
  </message>
  <message>
   <source>fits</source>
   <translation>装下</translation>
  </message>
  <message>
   <source>not counted</source>
   <translation>未计入</translation>
  </message>
  <message>
   <source>now</source>
   <translation>当前</translation>
  </message>
  <message>
   <source>now, bytes</source>
   <translation>当前，字节</translation>
  </message>
  <message>
   <source>peak {size} against A</source>
   <translation>峰值相对 A {size}</translation>
  </message>
  <message>
   <source>tight</source>
   <translation>临界</translation>
  </message>
  <message>
   <source>{title}: {scenario}; peak in {phase}</source>
   <translation>{title}：{scenario}；峰值位于{phase}</translation>
  </message>
 </context>
 <context>
  <name>PlannerDialog</name>
  <message>
   <source>&amp;Close</source>
   <translation>关闭(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Stop</source>
   <translation>停止(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;Use this layout</source>
   <translation>使用此布局(&amp;U)</translation>
  </message>
  <message>
   <source>GPUs</source>
   <translation>GPU 数</translation>
  </message>
  <message>
   <source>Layouts that fit</source>
   <translation>装得下的布局</translation>
  </message>
  <message>
   <source>Layouts, the best first</source>
   <translation>各种布局，最佳者在前</translation>
  </message>
  <message>
   <source>Looking for layouts on {count} x {gpu}</source>
   <translation>正在为 {count} x {gpu} 查找布局</translation>
  </message>
  <message>
   <source>Memory against the number of GPUs</source>
   <translation>显存与 GPU 数的关系</translation>
  </message>
  <message>
   <source>No layout is sure to fit on up to {count} x {gpu}</source>
   <translation>在至多 {count} x {gpu} 上，没有确定装得下的布局</translation>
  </message>
  <message>
   <source>Plan &amp;again</source>
   <translation>重新规划(&amp;A)</translation>
  </message>
  <message>
   <source>Stopped at {count} x {gpu}</source>
   <translation>在 {count} x {gpu} 处停止</translation>
  </message>
  <message>
   <source>The inputs have changed since: plan again.</source>
   <translation>输入已更改：请重新规划。</translation>
  </message>
  <message>
   <source>fits</source>
   <translation>装下</translation>
  </message>
  <message>
   <source>free</source>
   <translation>剩余</translation>
  </message>
  <message>
   <source>free, bytes</source>
   <translation>剩余，字节</translation>
  </message>
  <message>
   <source>host memory</source>
   <translation>主机内存</translation>
  </message>
  <message>
   <source>host memory, bytes</source>
   <translation>主机内存，字节</translation>
  </message>
  <message>
   <source>in {phase}; {why}</source>
   <translation>{phase}阶段；{why}</translation>
  </message>
  <message>
   <source>layout</source>
   <translation>布局</translation>
  </message>
  <message>
   <source>least of all layouts</source>
   <translation>所有布局中的最小值</translation>
  </message>
  <message>
   <source>no</source>
   <translation>否</translation>
  </message>
  <message>
   <source>peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>peak, bytes</source>
   <translation>峰值，字节</translation>
  </message>
  <message>
   <source>tight</source>
   <translation>临界</translation>
  </message>
  <message>
   <source>worst rank</source>
   <translation>占用最高的 rank</translation>
  </message>
  <message>
   <source>yes</source>
   <translation>是</translation>
  </message>
  <message>
   <source>{count} GPUs</source>
   <translation>{count} 张 GPU</translation>
  </message>
  <message>
   <source>{count} x {gpu} are enough</source>
   <translation>{count} x {gpu} 就够了</translation>
  </message>
  <message>
   <source>{model}, {optimizer}, {precision}. Each data-parallel rank keeps its batch.</source>
   <translation>{model}，{optimizer}，{precision}。每个数据并行 rank 的批大小不变。</translation>
  </message>
  <message>
   <source>{usable} usable</source>
   <translation>可用 {usable}</translation>
  </message>
 </context>
 <context>
  <name>Precision</name>
  <message>
   <source>AMP bf16 (autocast over fp32 weights)</source>
   <translation>AMP bf16（fp32 权重 + autocast）</translation>
  </message>
  <message>
   <source>AMP fp16 (autocast over fp32 weights)</source>
   <translation>AMP fp16（fp32 权重 + autocast）</translation>
  </message>
  <message>
   <source>Megatron bf16 (fp32 main gradients)</source>
   <translation>Megatron bf16（fp32 主梯度）</translation>
  </message>
  <message>
   <source>bf16 + fp32 master weights</source>
   <translation>bf16 + fp32 主权重</translation>
  </message>
  <message>
   <source>bf16 weights under autocast</source>
   <translation>bf16 权重 + autocast</translation>
  </message>
  <message>
   <source>bf16, pure</source>
   <translation>纯 bf16</translation>
  </message>
  <message>
   <source>fp16 + fp32 master weights</source>
   <translation>fp16 + fp32 主权重</translation>
  </message>
  <message>
   <source>fp16, pure</source>
   <translation>纯 fp16</translation>
  </message>
  <message>
   <source>fp32</source>
   <translation>fp32</translation>
  </message>
  <message>
   <source>fp8, MS-AMP O2</source>
   <translation>fp8，MS-AMP O2</translation>
  </message>
  <message>
   <source>fp8, TransformerEngine on bf16 weights</source>
   <translation>fp8，TransformerEngine，bf16 权重</translation>
  </message>
  <message>
   <source>fp8, TransformerEngine on fp32 weights</source>
   <translation>fp8，TransformerEngine，fp32 权重</translation>
  </message>
  <message>
   <source>fp8, torchao float8</source>
   <translation>fp8，torchao float8</translation>
  </message>
 </context>
 <context>
  <name>PrecisionPanel</name>
  <message>
   <source>Precision</source>
   <translation>精度</translation>
  </message>
  <message>
   <source>S&amp;cheme</source>
   <translation>精度方案(&amp;C)</translation>
  </message>
  <message>
   <source>Which copy of a parameter exists in which type</source>
   <translation>参数的每份副本以何种类型存在</translation>
  </message>
 </context>
 <context>
  <name>ProbeDialog</name>
  <message>
   <source>&amp;Add to the list</source>
   <translation>添加到列表(&amp;A)</translation>
  </message>
  <message>
   <source>&amp;Class</source>
   <translation>类(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Folder of its module</source>
   <translation>模块所在文件夹(&amp;F)</translation>
  </message>
  <message>
   <source>&amp;Options</source>
   <translation>选项(&amp;O)</translation>
  </message>
  <message>
   <source>&amp;Probe</source>
   <translation>探测(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Stop</source>
   <translation>停止(&amp;S)</translation>
  </message>
  <message>
   <source>; </source>
   <translation>；</translation>
  </message>
  <message>
   <source>Add an optimizer of your own</source>
   <translation>添加您自己的优化器</translation>
  </message>
  <message>
   <source>Choose...</source>
   <translation>选择...</translation>
  </message>
  <message>
   <source>Folder of the module</source>
   <translation>模块所在文件夹</translation>
  </message>
  <message>
   <source>It keeps nothing from step to step.</source>
   <translation>它在步与步之间不保留任何内容。</translation>
  </message>
  <message>
   <source>It takes only parameters with {conditions}.</source>
   <translation>它只接受满足以下条件的参数：{conditions}。</translation>
  </message>
  <message>
   <source>Not everything could be explained, so it cannot be added; see below</source>
   <translation>有些内容无法解释，因此不能添加；见下文</translation>
  </message>
  <message>
   <source>Progress of the probe</source>
   <translation>探测进度</translation>
  </message>
  <message>
   <source>Run this class</source>
   <translation>运行此类</translation>
  </message>
  <message>
   <source>Run {path}, found in {folder}, under {python}? It can do whatever its code says.</source>
   <translation>要用 {python} 运行 {path}（位于 {folder}）吗？它可以执行其代码中的任何操作。</translation>
  </message>
  <message>
   <source>The class is imported and stepped on small tensors in a process of its own, under {python}. Nothing leaves this computer.</source>
   <translation>在独立进程中用 {python} 导入该类，并在小张量上执行更新。任何数据都不会离开本机。</translation>
  </message>
  <message>
   <source>What the class keeps for parameters of many shapes, and the rules behind it, appear here.</source>
   <translation>该类为各种形状的参数保留什么、遵循什么规则，将显示在此处。</translation>
  </message>
  <message>
   <source>What was found</source>
   <translation>探测结果</translation>
  </message>
  <message>
   <source>a multiple of {value} elements</source>
   <translation>元素数为 {value} 的倍数</translation>
  </message>
  <message>
   <source>a side of {value} or more</source>
   <translation>长边不小于 {value}</translation>
  </message>
  <message>
   <source>as many as axis {value} is long</source>
   <translation>与轴 {value} 等长</translation>
  </message>
  <message>
   <source>as many elements as the parameter</source>
   <translation>元素数与参数相同</translation>
  </message>
  <message>
   <source>both sides {value} or more</source>
   <translation>两边均不小于 {value}</translation>
  </message>
  <message>
   <source>half as many elements as the parameter</source>
   <translation>元素数为参数的一半</translation>
  </message>
  <message>
   <source>in host memory</source>
   <translation>位于主机内存</translation>
  </message>
  <message>
   <source>nothing</source>
   <translation>无</translation>
  </message>
  <message>
   <source>one number</source>
   <translation>一个数</translation>
  </message>
  <message>
   <source>one number for {value} elements</source>
   <translation>每 {value} 个元素一个数</translation>
  </message>
  <message>
   <source>otherwise {size}</source>
   <translation>否则：{size}</translation>
  </message>
  <message>
   <source>rank {value} times one side</source>
   <translation>秩 {value} x 一边的长度</translation>
  </message>
  <message>
   <source>the folders of Python</source>
   <translation>Python 的搜索路径</translation>
  </message>
  <message>
   <source>the parameter without axis {value}</source>
   <translation>参数去掉轴 {value}</translation>
  </message>
  <message>
   <source>the square of axis {value}</source>
   <translation>与轴 {value} 同宽的方阵</translation>
  </message>
  <message>
   <source>the triangle of axis {value}</source>
   <translation>与轴 {value} 同宽的三角矩阵</translation>
  </message>
  <message>
   <source>type of the parameter</source>
   <translation>类型与参数相同</translation>
  </message>
  <message>
   <source>where Python finds it anyway</source>
   <translation>默认在 Python 的搜索路径中查找</translation>
  </message>
  <message>
   <source>with {conditions}: {size}</source>
   <translation>若{conditions}：{size}</translation>
  </message>
  <message>
   <source>{state}: {size}</source>
   <translation>{state}：{size}</translation>
  </message>
  <message>
   <source>{value} axes</source>
   <translation>恰有 {value} 个轴</translation>
  </message>
  <message>
   <source>{value} elements</source>
   <translation>{value} 个元素</translation>
  </message>
  <message>
   <source>{value} or more axes</source>
   <translation>轴不少于 {value} 个</translation>
  </message>
  <message>
   <source>{value} or more elements</source>
   <translation>元素不少于 {value} 个</translation>
  </message>
 </context>
 <context>
  <name>PythonField</name>
  <message>
   <source>Choose...</source>
   <translation>选择...</translation>
  </message>
  <message>
   <source>Looking...</source>
   <translation>正在查找...</translation>
  </message>
  <message>
   <source>Python with torch</source>
   <translation>带 torch 的 Python</translation>
  </message>
  <message>
   <source>Python {version}, torch {torch}</source>
   <translation>Python {version}，torch {torch}</translation>
  </message>
  <message>
   <source>The torch of this program</source>
   <translation>本程序自带的 torch</translation>
  </message>
  <message>
   <source>What this Python is</source>
   <translation>此 Python 的版本与 torch</translation>
  </message>
  <message>
   <source>the first one found that has torch</source>
   <translation>找到的第一个带 torch 的 Python</translation>
  </message>
  <message>
   <source>the one this program runs in</source>
   <translation>本程序所用的 Python</translation>
  </message>
 </context>
 <context>
  <name>Pythons</name>
  <message>
   <source>the first Python with torch that is found</source>
   <translation>找到的第一个带 torch 的 Python</translation>
  </message>
 </context>
 <context>
  <name>RankTable</name>
  <message>
   <source>rank</source>
   <translation>rank</translation>
  </message>
  <message>
   <source>rank {rank}</source>
   <translation>rank {rank}</translation>
  </message>
  <message>
   <source>{count} ranks, {engine}</source>
   <translation>{count} 个 rank，{engine}</translation>
  </message>
 </context>
 <context>
  <name>RanksPanel</name>
  <message>
   <source>Ranks</source>
   <translation>Rank</translation>
  </message>
  <message>
   <source>Ranks and what each holds</source>
   <translation>各 rank 及其占用</translation>
  </message>
  <message>
   <source>What stands on the selected rank? Also a double click on it, or Enter</source>
   <translation>所选 rank 上有些什么？也可以双击它或按 Enter</translation>
  </message>
  <message>
   <source>host memory</source>
   <translation>主机内存</translation>
  </message>
  <message>
   <source>host memory, bytes</source>
   <translation>主机内存，字节</translation>
  </message>
  <message>
   <source>in</source>
   <translation>所在阶段</translation>
  </message>
  <message>
   <source>parameters</source>
   <translation>参数量</translation>
  </message>
  <message>
   <source>peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>peak, bytes</source>
   <translation>峰值，字节</translation>
  </message>
  <message>
   <source>stage</source>
   <translation>流水线级</translation>
  </message>
  <message>
   <source>what sets it apart</source>
   <translation>不同之处</translation>
  </message>
  <message>
   <source>{count} ranks; all others hold less</source>
   <translation>{count} 个 rank；其余各 rank 占用都更少</translation>
  </message>
  <message>
   <source>{number}, the worst</source>
   <translation>{number}，占用最高</translation>
  </message>
 </context>
 <context>
  <name>Reasons</name>
  <message>
   <source>"16-bit training always keeps fp32 master weights." torch makes none: model.to(bfloat16) trains the 16-bit weights themselves.</source>
   <translation>“16 位训练总会保留 fp32 主权重。”torch 不会生成：model.to(bfloat16) 直接训练 16 位权重本身。</translation>
  </message>
  <message>
   <source>"4 bits are half a byte a parameter." Scales come on top, and embeddings, norms and the head are not packed.</source>
   <translation>“4 位就是每个参数半字节。”还要加上缩放因子，而且嵌入层、归一化层和输出头不打包。</translation>
  </message>
  <message>
   <source>"8-bit means a quarter of everything." Only the optimizer's moments shrink; weights, gradients and activations stay as they are.</source>
   <translation>“8 位就是一切都变成四分之一。”变小的只有优化器的矩；权重、梯度和激活值不变。</translation>
  </message>
  <message>
   <source>"A 16-bit model trains in half the memory." The fp32 copy and the state beside it weigh more than what 16 bits save.</source>
   <translation>“16 位模型训练只需一半显存。”fp32 副本及其状态所占的，多于 16 位所节省的。</translation>
  </message>
  <message>
   <source>"A frozen model is free." It has no gradients and no state, but its weights are there all the time.</source>
   <translation>“冻结的模型不占显存。”它没有梯度和状态，但权重始终存在。</translation>
  </message>
  <message>
   <source>"AMP halves memory." Weights, gradients and optimizer state stay fp32; only activations shrink, and 16-bit copies of the weights come on top.</source>
   <translation>“AMP 让显存减半。”权重、梯度和优化器状态仍是 fp32；变小的只有激活值，另外还要加上权重的 16 位副本。</translation>
  </message>
  <message>
   <source>"AMP keeps fp32 master weights on top." The weights themselves are fp32; there is no second copy.</source>
   <translation>“AMP 另外保留 fp32 主权重。”权重本身就是 fp32，没有第二份副本。</translation>
  </message>
  <message>
   <source>"Accumulation keeps a gradient for every micro-batch." They are added into the same tensors; only these stay alive through forward.</source>
   <translation>“梯度累积为每个微批次保留一份梯度。”它们累加到同一批张量中；只是这些张量在前向期间也一直存活。</translation>
  </message>
  <message>
   <source>"Activations count in the step, too." They are gone when the optimizer steps; its temporaries take their place.</source>
   <translation>“更新时激活值也要算。”优化器更新时它们已不存在，取而代之的是更新的临时张量。</translation>
  </message>
  <message>
   <source>"Activations follow the number of parameters." They follow batch x sequence, and the vocabulary at the loss.</source>
   <translation>“激活值取决于参数数量。”它们取决于批大小 x 序列长度，在损失处还取决于词表大小。</translation>
  </message>
  <message>
   <source>"Activations grow with the square of the sequence." Only with eager or math attention; fused kernels keep one number a row.</source>
   <translation>“激活值随序列长度的平方增长。”只有 eager 或 math 注意力如此；fused 内核每行只保留一个数。</translation>
  </message>
  <message>
   <source>"Adam keeps 8 bytes a parameter." Two fp32 moments do; two that follow bf16 parameters are 4, two 8-bit ones about 2.</source>
   <translation>“Adam 每个参数保留 8 字节。”两个 fp32 的矩是 8 字节；跟随 bf16 参数的两个矩是 4，两个 8 位的矩约为 2。</translation>
  </message>
  <message>
   <source>"After loading the worst is over." State, gradients and activations are still to come.</source>
   <translation>“加载之后最难的就过去了。”状态、梯度和激活值都还没有出现。</translation>
  </message>
  <message>
   <source>"Allocated holds only my tensors." cuBLAS takes its scratch memory from the same allocator and keeps it.</source>
   <translation>“已分配的只有我的张量。”cuBLAS 从同一个分配器取得暂存内存，并一直保留。</translation>
  </message>
  <message>
   <source>"Backward doubles the memory." Activations shrink as gradients grow; the fullest moment is often at its start, at the loss.</source>
   <translation>“反向让显存翻倍。”激活值减少的同时梯度增加；最满的时刻往往在反向开始时，即损失处。</translation>
  </message>
  <message>
   <source>"Blocks of 512 bytes cannot matter." They don't for large tensors; but up to 1 MiB at the end of a segment stays with its tensor.</source>
   <translation>“512 字节的块无关紧要。”对大张量确实如此；但段的尾部最多有 1 MiB 会留给其张量。</translation>
  </message>
  <message>
   <source>"Checkpointing removes activations." The input of each recomputed unit stays, and one unit at a time is there in full.</source>
   <translation>“重计算会去掉激活值。”每个重计算单元的输入仍在，且任一时刻总有一个单元完整存在。</translation>
  </message>
  <message>
   <source>"Clipping costs a copy of the gradients." Only their norms; they are scaled in place.</source>
   <translation>“裁剪需要一份梯度副本。”只需要范数；梯度原地缩放。</translation>
  </message>
  <message>
   <source>"DDP costs nothing." With several GPUs its buckets are as large as all gradients, unless gradients are views of them.</source>
   <translation>“DDP 没有额外开销。”使用多张 GPU 时，它的桶与全部梯度同样大，除非梯度是桶的视图。</translation>
  </message>
  <message>
   <source>"Every rank needs the same." The first stage of a pipeline waits for the most micro-batches, the last holds the logits.</source>
   <translation>“每个 rank 所需相同。”流水线第一级要等待的微批次最多，最后一级则持有 logits。</translation>
  </message>
  <message>
   <source>"Everything in a checkpoint is trained." Buffers have no gradient and no optimizer state.</source>
   <translation>“检查点中的一切都会训练。”缓冲区没有梯度，也没有优化器状态。</translation>
  </message>
  <message>
   <source>"Forward is like inference." In training every layer keeps what backward needs; in inference it is freed at once.</source>
   <translation>“前向就像推理。”训练时每一层都保留反向所需的内容；推理时则立即释放。</translation>
  </message>
  <message>
   <source>"Gradients are small change." There is one for every trained parameter, as large as its weight, whatever the batch.</source>
   <translation>“梯度微不足道。”每个被训练的参数都有一个，与其权重同样大，与批大小无关。</translation>
  </message>
  <message>
   <source>"If it runs, it trains." Inference needs the weights alone; training adds gradients, state and activations.</source>
   <translation>“能推理就能训练。”推理只需要权重；训练还要加上梯度、状态和激活值。</translation>
  </message>
  <message>
   <source>"If the model loads, it fits." Most optimizers make their state in the first step, after the first backward.</source>
   <translation>“模型能加载就装得下。”多数优化器在第一步、第一次反向之后才创建状态。</translation>
  </message>
  <message>
   <source>"LoRA shrinks the model." Only gradients and optimizer state become small; the frozen base is held whole.</source>
   <translation>“LoRA 让模型变小。”变小的只有梯度和优化器状态；冻结的基座完整保留。</translation>
  </message>
  <message>
   <source>"N GPUs divide everything by N." Activations stay whole on each, and gathered layers come on top.</source>
   <translation>“N 张 GPU 使一切除以 N。”激活值在每张 GPU 上都是完整的，还要加上聚集起来的层。</translation>
  </message>
  <message>
   <source>"SGD keeps nothing." True without momentum; with it there is a buffer as large as the parameters.</source>
   <translation>“SGD 什么也不保留。”没有动量时确实如此；有动量时有一个与参数同样大的缓冲区。</translation>
  </message>
  <message>
   <source>"The peak is the sum of the largest parts." Parts are not alive together: it is the largest moment.</source>
   <translation>“峰值是各部分最大值之和。”各部分并非同时存活：峰值是最大的那个时刻。</translation>
  </message>
  <message>
   <source>"The step needs nothing of its own." foreach, the default on a GPU, makes lists as large as all parameters; fused=True does not.</source>
   <translation>“更新本身不需要内存。”GPU 上的默认方式 foreach 会生成与全部参数同样大的列表；fused=True 不会。</translation>
  </message>
  <message>
   <source>"Training takes 16 bytes a parameter." That is 16-bit weights with an fp32 master copy and Adam. Pure 16-bit training keeps no such copy.</source>
   <translation>“训练每个参数占 16 字节。”那是 16 位权重加 fp32 主权重和 Adam。纯 16 位训练不保留这样的副本。</translation>
  </message>
  <message>
   <source>"Under AMP gradients are 16-bit." A gradient has the type of its weight, and that is fp32.</source>
   <translation>“AMP 下梯度是 16 位。”梯度与其权重同类型，也就是 fp32。</translation>
  </message>
  <message>
   <source>"What is seen between steps is what is needed." It is the low tide: the peak lies within a step.</source>
   <translation>“两步之间看到的就是所需的。”那是低潮：峰值在一步之内。</translation>
  </message>
  <message>
   <source>"Without gradients there is no backward." Gradients still pass through the frozen layers, so most activations stay.</source>
   <translation>“没有梯度就没有反向。”梯度仍要穿过冻结的层，因此大部分激活值还在。</translation>
  </message>
  <message>
   <source>"empty_cache() lowers the peak." It gives unused segments back for others; what a step needs is the same.</source>
   <translation>“empty_cache() 能降低峰值。”它把未使用的段还给驱动供其他进程使用；一步所需的内存不变。</translation>
  </message>
  <message>
   <source>"fp8 halves the weights." The high-precision weights stay; fp8 copies come beside them, and products get faster.</source>
   <translation>“fp8 让权重减半。”高精度权重仍在；另外还有 fp8 副本，变快的是矩阵乘法。</translation>
  </message>
  <message>
   <source>"nvidia-smi shows what tensors take." It shows segments kept for later and the CUDA context as well.</source>
   <translation>“nvidia-smi 显示的是张量占用的显存。”它还包括留待以后使用的内存段，以及 CUDA 上下文。</translation>
  </message>
  <message>
   <source>--batch: the length of a sequence is missing; add `--seq N`, such as `--seq 2048`</source>
   <translation>--batch：缺少序列长度；请加上 `--seq N`，例如 `--seq 2048`</translation>
  </message>
  <message>
   <source>--check: nothing to check against; add `--gpu ID`, such as `--gpu h100-80gb`</source>
   <translation>--check：没有可供比较的 GPU；请加上 `--gpu ID`，例如 `--gpu h100-80gb`</translation>
  </message>
  <message>
   <source>--export: saves one estimate; leave {option} out</source>
   <translation>--export：只保存一份估算；请去掉 {option}</translation>
  </message>
  <message>
   <source>--own-weights needs a checkpoint; give its PATH, or leave the option out</source>
   <translation>--own-weights 需要检查点；请给出其 PATH，或去掉该选项</translation>
  </message>
  <message>
   <source>--recipe: {given} is not known; choose one of {known}</source>
   <translation>--recipe：未知的 {given}；请选择 {known} 之一</translation>
  </message>
  <message>
   <source>--resident: {given} is not NAME:COUNT:DTYPE or NAME:SIZE; write for example reference:7B:bf16 or server:5GiB</source>
   <translation>--resident：{given} 不是 NAME:COUNT:DTYPE 或 NAME:SIZE 的形式；请填写 reference:7B:bf16 或 server:5GiB 这样的值</translation>
  </message>
  <message>
   <source>--solve: name the one GPU to fill, such as --gpu h100-80gb</source>
   <translation>--solve：请指定要填满的一张 GPU，例如 --gpu h100-80gb</translation>
  </message>
  <message>
   <source>--trainable: a scenario file keeps no tensor names; open the model itself with it</source>
   <translation>--trainable：方案文件不保存张量名；请改为打开模型本身</translation>
  </message>
  <message>
   <source>--trainable: {tensor_count} tensors are too many to name one by one; give a smaller number of parameters</source>
   <translation>--trainable：{tensor_count} 个张量太多，无法逐一列出；请减少参数量</translation>
  </message>
  <message>
   <source>--ways goes with one scenario and at most one GPU; leave out --solve, --gpu all and a second .optmem file</source>
   <translation>--ways 只用于一个方案和最多一张 GPU；请去掉 --solve、--gpu all 和第二个 .optmem 文件</translation>
  </message>
  <message>
   <source>0 tensors: nothing to estimate.</source>
   <translation>0 个张量：没有可估算的内容。</translation>
  </message>
  <message>
   <source>1 B for the fp8 copy and 1 B for its transpose, every multiplied matrix</source>
   <translation>每个参与矩阵乘的矩阵：fp8 副本 1 B，其转置 1 B</translation>
  </message>
  <message>
   <source>16-bit copies of fp32 weights: each product keeps the copy it used until its backward has run, also after autocast has ended.</source>
   <translation>fp32 权重的 16 位副本：每次矩阵乘都保留所用的副本，直到其反向执行完毕，即使 autocast 已经结束。</translation>
  </message>
  <message>
   <source>16-bit parameters do not halve it: its moments are fp32 always.</source>
   <translation>16 位参数不会使其减半：它的矩总是 fp32。</translation>
  </message>
  <message>
   <source>16-bit parameters do not halve it: state is fp32 unless storage_dtype says otherwise.</source>
   <translation>16 位参数不会使其减半：除非 storage_dtype 另有指定，状态为 fp32。</translation>
  </message>
  <message>
   <source>16-bit queries and heads of at most 256 elements: PyTorch picks flash attention.</source>
   <translation>查询为 16 位且头维度不超过 256：PyTorch 选用 flash 注意力。</translation>
  </message>
  <message>
   <source>2 cuBLAS workspaces of {bytes}: one in the forward thread, one in autograd's</source>
   <translation>2 个 cuBLAS 工作区，各 {bytes}：一个在前向线程，一个在 autograd 线程</translation>
  </message>
  <message>
   <source>2 x {each_bytes}</source>
   <translation>2 x {each_bytes}</translation>
  </message>
  <message>
   <source>2.13 bytes a parameter, whatever its type and however small the tensor.</source>
   <translation>每参数 2.13 字节，无论参数是何类型、张量多小。</translation>
  </message>
  <message>
   <source>23 copies of the parameters with the default history of 10, from the start; torch's grows with the steps.</source>
   <translation>历史长度为默认的 10 时，从一开始就占参数的 23 倍；torch 的实现则随步数增长。</translation>
  </message>
  <message>
   <source>24 keeps 8 further bits of every 16-bit parameter, 32 keeps 16.</source>
   <translation>24 为每个 16 位参数再保留 8 位，32 则再保留 16 位。</translation>
  </message>
  <message>
   <source>29 public CUDA memory snapshots: all 14 with a backward lie inside the band.</source>
   <translation>29 份公开的 CUDA 显存快照：含反向的 14 份全部落在区间内。</translation>
  </message>
  <message>
   <source>3.13 bytes a 16-bit parameter, not 2: 8 further bits of every weight are kept too, so that no master weights are needed. Every tensor is quantized, however small.</source>
   <translation>每个 16 位参数 3.13 字节，而不是 2：还为每个权重再保留 8 位，因此不需要主权重。所有张量无论多小都会量化。</translation>
  </message>
  <message>
   <source>6 bytes a 16-bit parameter, not 4: a Kahan compensation as large as the weights is kept unless kahan_sum is false.</source>
   <translation>每个 16 位参数 6 字节，而不是 4：除非 kahan_sum 为 false，否则还保留与权重同样大小的 Kahan 补偿。</translation>
  </message>
  <message>
   <source>8 bytes a parameter also for 16-bit ones: its moments are always fp32.</source>
   <translation>16 位参数也是每参数 8 字节：它的矩总是 fp32。</translation>
  </message>
  <message>
   <source>8 bytes a parameter also for 16-bit ones: its moments are fp32 unless exp_avg_dtype says otherwise.</source>
   <translation>16 位参数也是每参数 8 字节：除非 exp_avg_dtype 另有指定，它的矩为 fp32。</translation>
  </message>
  <message>
   <source>8 bytes a parameter also for 16-bit ones: its state is always fp32.</source>
   <translation>参数为 16 位时也是每参数 8 字节：其状态总是 fp32。</translation>
  </message>
  <message>
   <source>8 bytes a parameter also for 16-bit ones: its state is always fp32. torch.RAdam's follows the parameter.</source>
   <translation>参数为 16 位时也是每参数 8 字节：其状态总是 fp32。torch.RAdam 的状态则与参数类型相同。</translation>
  </message>
  <message>
   <source>8 bytes a parameter of host memory also for 16-bit parameters: its state is fp32 unless fp32_optimizer_states is off.</source>
   <translation>16 位参数也要每参数 8 字节主机内存：除非关闭 fp32_optimizer_states，其状态为 fp32。</translation>
  </message>
  <message>
   <source>8 keeps the state in blocks of 8-bit codes, 32 in fp32.</source>
   <translation>8 以分块的 8 位编码保存状态，32 以 fp32 保存。</translation>
  </message>
  <message>
   <source>8-bit saves nothing on small tensors: below 4096 elements the state stays in fp32. Above, it is 2.03 bytes a parameter, the scales of its blocks included.</source>
   <translation>8 位对小张量没有节省：少于 4096 个元素时状态仍为 fp32。更大的张量每参数 2.03 字节，含各块的缩放因子。</translation>
  </message>
  <message>
   <source>A LossScaleOptimizer around it: a few numbers more.</source>
   <translation>外层套用 LossScaleOptimizer：再多几个数。</translation>
  </message>
  <message>
   <source>A TorchScript archive: its code is not run; parameters and buffers are told apart by the lists in it.</source>
   <translation>TorchScript 归档：其中的代码不会运行；参数与缓冲区根据其中的列表区分。</translation>
  </message>
  <message>
   <source>A diagonal quasi-Newton method: three states as large as the parameters.</source>
   <translation>对角拟牛顿法：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>A dual average: sums of gradients and of squares, and the initial weights.</source>
   <translation>对偶平均：梯度之和、平方之和，以及初始权重。</translation>
  </message>
  <message>
   <source>A factor and its inverse root for each side of each block, packed as triangles in fp32, and filtered gradients.</source>
   <translation>每块的每一侧有一个因子及其逆根，以 fp32 三角形式打包，外加滤波后的梯度。</translation>
  </message>
  <message>
   <source>A fast and a slow average of the gradients, and one of their squares.</source>
   <translation>梯度的一快一慢两份滑动平均，以及一份平方的滑动平均。</translation>
  </message>
  <message>
   <source>A first moment in full, and one second-moment number a head, row or tensor, by name.</source>
   <translation>完整的一阶矩，以及按名称为每个注意力头、每行或每个张量保存一个二阶矩数值。</translation>
  </message>
  <message>
   <source>A first moment, and a second moment of one number a block.</source>
   <translation>一个一阶矩，以及每块一个数的二阶矩。</translation>
  </message>
  <message>
   <source>A history of directions and steps: 2 x history + 2 vectors as long as all parameters.</source>
   <translation>方向与步长的历史：2 x history + 2 个与全部参数等长的向量。</translation>
  </message>
  <message>
   <source>A kernel of the library updates in place: nothing beside the state.</source>
   <translation>由该库的内核原地更新：除状态外没有额外占用。</translation>
  </message>
  <message>
   <source>A later edit took the place of this simulation</source>
   <translation>此次模拟已被后来的编辑取代</translation>
  </message>
  <message>
   <source>A low-rank basis, its square and projected moments of every tensor.</source>
   <translation>每个张量的低秩基、其方阵，以及投影后的矩。</translation>
  </message>
  <message>
   <source>A moment and an estimate of the Hessian's diagonal.</source>
   <translation>一个矩和对 Hessian 对角线的估计。</translation>
  </message>
  <message>
   <source>A momentum buffer for tensors of two or more axes, Adam's two moments for the others.</source>
   <translation>有两个或更多轴的张量用一个动量缓冲区，其余用 Adam 的两个矩。</translation>
  </message>
  <message>
   <source>A picture of {width_count} x {height_count} pixels does not fit into memory; choose a smaller scale</source>
   <translation>{width_count} x {height_count} 像素的图片无法放入内存；请选择较小的缩放比例</translation>
  </message>
  <message>
   <source>A random low-rank space estimates how to scale each channel of the gradient.</source>
   <translation>用随机低秩空间估计梯度各通道的缩放。</translation>
  </message>
  <message>
   <source>A rank above the shorter side costs more than Adam: random projectors are not cut. With proj=svd and fp32 gradients the whole factor stays.</source>
   <translation>秩大于短边时比 Adam 更费显存：随机投影矩阵不会截断。使用 proj=svd 且梯度为 fp32 时，整个因子都会保留。</translation>
  </message>
  <message>
   <source>A second sequence of weights in place of a learning-rate schedule.</source>
   <translation>以第二个权重序列代替学习率调度。</translation>
  </message>
  <message>
   <source>A steady step is meant: the second and later ones. The first step allocates the optimizer state.</source>
   <translation>指稳态训练步，即第二步及以后。第一步才分配优化器状态。</translation>
  </message>
  <message>
   <source>A step size from the loss; momentum adds a buffer.</source>
   <translation>步长由损失算出；使用动量再加一个缓冲区。</translation>
  </message>
  <message>
   <source>A sum of squares, a sum of gradients and the initial weights.</source>
   <translation>一份平方之和、一份梯度之和，以及初始权重。</translation>
  </message>
  <message>
   <source>A tensor whose size blocks do not divide is silently kept in full: 4097 elements save nothing. Every quantized moment also has a table of its own, 1 KiB each.</source>
   <translation>大小不能被块整除的张量会悄悄以完整精度保存：4097 个元素就没有任何节省。每个量化的矩还各有一张 1 KiB 的取值表。</translation>
  </message>
  <message>
   <source>A vocabulary without a model: the file has tokens and no tensors.</source>
   <translation>只有词表而没有模型：文件中有 token，没有张量。</translation>
  </message>
  <message>
   <source>AMSGrad is on by default here: ams_bound=false saves a quarter of the state.</source>
   <translation>这里默认启用 AMSGrad：ams_bound=false 可省去四分之一的状态。</translation>
  </message>
  <message>
   <source>AMSGrad is on by default: four states as large as the parameters.</source>
   <translation>默认启用 AMSGrad：四份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>AMSGrad: keeps the largest second moment so far, as large as the parameters.</source>
   <translation>AMSGrad：保留迄今最大的二阶矩，与参数同样大小。</translation>
  </message>
  <message>
   <source>Above 0, a copy of the initial weights is kept.</source>
   <translation>大于 0 时，保留一份初始权重的副本。</translation>
  </message>
  <message>
   <source>Above 0, a momentum buffer as large as the parameters is kept.</source>
   <translation>大于 0 时，保留一个与参数同样大小的动量缓冲区。</translation>
  </message>
  <message>
   <source>Above 0, one number a tensor is kept for the norm of the update.</source>
   <translation>大于 0 时，每个张量保留一个数，用于更新量的范数。</translation>
  </message>
  <message>
   <source>Accelerated gradients: an average, a second sequence of weights, one number a tensor.</source>
   <translation>加速梯度法：一份滑动平均、第二个权重序列，以及每个张量一个数。</translation>
  </message>
  <message>
   <source>Accumulation: {given} is not a whole number; write micro-batches a step such as 1 or 8</source>
   <translation>梯度累积：{given} 不是整数；请填写每步的微批次数，例如 1 或 8</translation>
  </message>
  <message>
   <source>Accumulation: {given} is outside 1 to {limit_count}; write fewer micro-batches</source>
   <translation>梯度累积：{given} 不在 1 到 {limit_count} 之间；请减少微批次数</translation>
  </message>
  <message>
   <source>Activations and workspace are not counted: no batch size and sequence length were given.</source>
   <translation>激活值与工作区未计入：没有给出批大小和序列长度。</translation>
  </message>
  <message>
   <source>Activations and workspace are not counted: there are no rules for this architecture, or it is a bare class without the loss that trains it.</source>
   <translation>激活值与工作区未计入：没有适用于该结构的规则，或该类不含用于训练的损失。</translation>
  </message>
  <message>
   <source>Activations are not counted with {checkpointing}: models of this kind recompute every layer (full) or none.</source>
   <translation>{checkpointing} 下的激活值未计入：此类模型要么每层都重计算 (full)，要么都不重计算。</translation>
  </message>
  <message>
   <source>Activations are not counted: some of the {module} parameters are trained and others are not, or they differ in type.</source>
   <translation>激活值未计入：{module} 的参数只有一部分参与训练，或类型不一。</translation>
  </message>
  <message>
   <source>Activations are not counted: the sequence of {tokens} tokens is longer than the {most} positions of the model.</source>
   <translation>激活值未计入：{tokens} 个 token 的序列超过模型的 {most} 个位置。</translation>
  </message>
  <message>
   <source>Activations are not counted: the tensors are not those that the config describes ({module} is missing).</source>
   <translation>激活值未计入：张量与配置所描述的不符（缺少 {module}）。</translation>
  </message>
  <message>
   <source>Activations as Megatron-LM's own kernels keep them: s b h (34 + 5 a s / h) a layer, tensor and sequence parallel divided out.</source>
   <translation>激活值按 Megatron-LM 自身内核所保留的计算：每层 s b h (34 + 5 a s / h)，再按张量并行和序列并行分摊。</translation>
  </message>
  <message>
   <source>Activations of this kind of model are not counted where tensor, pipeline or context parallelism, or Megatron, splits it.</source>
   <translation>此类模型在张量并行、流水线并行、上下文并行或 Megatron 切分下的激活值未计入。</translation>
  </message>
  <message>
   <source>Activations of this kind of model are not counted with adapters.</source>
   <translation>此类模型带适配器时的激活值未计入。</translation>
  </message>
  <message>
   <source>Activations of {family} are those of its language model; its image tower's are not counted.</source>
   <translation>{family} 的激活值只包含其语言模型；图像塔的激活值未计入。</translation>
  </message>
  <message>
   <source>Adafactor with a first moment and factored confidence.</source>
   <translation>带一阶矩和分解置信度的 Adafactor。</translation>
  </message>
  <message>
   <source>Adam and the previous gradient: three states as large as the parameters.</source>
   <translation>Adam 加上一步的梯度：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Adam for sparse gradients of embeddings.</source>
   <translation>用于嵌入层稀疏梯度的 Adam。</translation>
  </message>
  <message>
   <source>Adam in the eigenbasis of Shampoo: two moments and two squares for each side.</source>
   <translation>在 Shampoo 特征基中运行的 Adam：两个矩，每一侧另有两个方阵。</translation>
  </message>
  <message>
   <source>Adam that finds its learning rate: two moments, the initial weights and a weighted sum.</source>
   <translation>自动确定学习率的 Adam：两个矩、初始权重和一份加权和。</translation>
  </message>
  <message>
   <source>Adam with Nesterov momentum: two moments and two counters.</source>
   <translation>带 Nesterov 动量的 Adam：两个矩和两个计数器。</translation>
  </message>
  <message>
   <source>Adam with a rectified start: two moments.</source>
   <translation>对起步阶段做修正的 Adam：两个矩。</translation>
  </message>
  <message>
   <source>Adam with an average of the step sizes: three states as large as the parameters.</source>
   <translation>对步长取滑动平均的 Adam：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Adam with decoupled weight decay: two moments in the type of the parameter.</source>
   <translation>权重衰减解耦的 Adam：两个矩，类型与参数相同。</translation>
  </message>
  <message>
   <source>Adam with the infinity norm: two moments.</source>
   <translation>使用无穷范数的 Adam：两个矩。</translation>
  </message>
  <message>
   <source>Adam with the variance of the gradient around its average: two moments.</source>
   <translation>使用梯度相对其均值的方差的 Adam：两个矩。</translation>
  </message>
  <message>
   <source>Adam with torque-aware momentum: three states as large as the parameters.</source>
   <translation>使用力矩感知动量的 Adam：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Adam without a learning rate to tune: three states as large as the parameters.</source>
   <translation>无需调节学习率的 Adam：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>AdamW and a slow average of the gradients.</source>
   <translation>AdamW，外加一份梯度的慢速滑动平均。</translation>
  </message>
  <message>
   <source>AdamW and a slow average of the gradients: three states as large as the parameters.</source>
   <translation>AdamW 加一份梯度的慢速滑动平均：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>AdamW for bf16 weights: two moments and a compensation of rounding, all bf16.</source>
   <translation>用于 bf16 权重的 AdamW：两个矩和一份舍入补偿，均为 bf16。</translation>
  </message>
  <message>
   <source>AdamW on gradients projected to a low rank; tensors that are not projected keep AdamW's state.</source>
   <translation>对投影到低秩的梯度使用 AdamW；不投影的张量保留 AdamW 的状态。</translation>
  </message>
  <message>
   <source>AdamW with 8-bit state: quantized moments, and bitsandbytes has to be installed</source>
   <translation>使用 8 位状态的 AdamW：矩被量化，且需安装 bitsandbytes</translation>
  </message>
  <message>
   <source>AdamW with both moments in 8 bits, one 16-bit scale for 32 of them.</source>
   <translation>两个矩均为 8 位的 AdamW，每 32 个数一个 16 位缩放因子。</translation>
  </message>
  <message>
   <source>AdamW with clipped updates; 16-bit parameters get a third state for rounding.</source>
   <translation>对更新量做裁剪的 AdamW；16 位参数另有第三份用于舍入的状态。</translation>
  </message>
  <message>
   <source>Adan's states and a sum that estimates the distance to the solution.</source>
   <translation>Adan 的状态，外加一份用于估计到解的距离的和。</translation>
  </message>
  <message>
   <source>Adapters of PEFT and packed weights of bitsandbytes: 0 bytes apart.</source>
   <translation>PEFT 的适配器与 bitsandbytes 的打包权重：相差 0 字节。</translation>
  </message>
  <message>
   <source>Adaptive SGD: four numbers for the whole optimizer.</source>
   <translation>自适应 SGD：整个优化器只保存四个数。</translation>
  </message>
  <message>
   <source>Adaptive inertia: three states as large as the parameters.</source>
   <translation>自适应惯性：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Added to the gradient (not decoupled), it takes a changed copy of the gradient in the step.</source>
   <translation>它加到梯度上（未解耦），更新时需要一份修改过的梯度副本。</translation>
  </message>
  <message>
   <source>Aggregated momentum: three momentum buffers with the default betas, one for each.</source>
   <translation>聚合动量：每个 beta 一个动量缓冲区，默认 betas 下共三个。</translation>
  </message>
  <message>
   <source>All parameters are handled at once: about {lists} lists as large as all of them, and the tensors of one meanwhile = {total_bytes}</source>
   <translation>一次处理全部参数：约 {lists} 个与全部参数同样大小的列表，同时还有单个参数的张量 = {total_bytes}</translation>
  </message>
  <message>
   <source>All parameters at once: fast, and takes lists as large as all of them. Automatic on CUDA.</source>
   <translation>一次处理全部参数：速度快，但所需的张量列表与全部参数一样大。在 CUDA 上自动启用。</translation>
  </message>
  <message>
   <source>All parameters in one optimizer have {together_bytes} of state, one by one they have {alone_bytes}: something is kept once for all</source>
   <translation>全部参数放在一个优化器中时状态为 {together_bytes}，逐个放入时为 {alone_bytes}：有些内容只为整体保留一份</translation>
  </message>
  <message>
   <source>Allocated at the peak</source>
   <translation>峰值时已分配</translation>
  </message>
  <message>
   <source>Also in the folder: {names}.</source>
   <translation>文件夹中还有：{names}。</translation>
  </message>
  <message>
   <source>Also on the GPU</source>
   <translation>GPU 上还有</translation>
  </message>
  <message>
   <source>Amplifying slow gradients is not free: a third tensor as large as the parameters.</source>
   <translation>放大慢变梯度并非没有代价：第三个与参数同样大小的张量。</translation>
  </message>
  <message>
   <source>An accumulator of squares and a linear term, each as large as the parameters.</source>
   <translation>一份平方的累加和与一个线性项，各与参数同样大小。</translation>
  </message>
  <message>
   <source>An approximation of the curvature.</source>
   <translation>曲率的近似。</translation>
  </message>
  <message>
   <source>An average of the gradients and a second sequence of weights.</source>
   <translation>一份梯度的滑动平均和第二个权重序列。</translation>
  </message>
  <message>
   <source>Another optimizer, and a slow copy of the weights.</source>
   <translation>另一个优化器，外加一份权重的慢速副本。</translation>
  </message>
  <message>
   <source>Another optimizer, and what estimates the distance to the solution.</source>
   <translation>另一个优化器，外加用于估计到解的距离的状态。</translation>
  </message>
  <message>
   <source>As the ZeRO paper counts; DeepSpeed itself was not run.</source>
   <translation>按 ZeRO 论文计算；没有运行 DeepSpeed 本身。</translation>
  </message>
  <message>
   <source>Assumptions</source>
   <translation>假设</translation>
  </message>
  <message>
   <source>At most {vectors} vectors as long as all parameters, {vector_bytes} each = {total_bytes}; how many depends on how the line search goes</source>
   <translation>最多 {vectors} 个与全部参数等长的向量，每个 {vector_bytes} = {total_bytes}；具体数量取决于线搜索的过程</translation>
  </message>
  <message>
   <source>Attention heads; queries and keys keep one number for each dim x dim / n_heads elements.</source>
   <translation>注意力头数；查询和键每 dim x dim / n_heads 个元素保留一个数。</translation>
  </message>
  <message>
   <source>Attention probabilities, batch x heads x sequence x sequence: this grows with the square of the sequence.</source>
   <translation>注意力概率，批大小 x 头数 x 序列长度 x 序列长度：随序列长度的平方增长。</translation>
  </message>
  <message>
   <source>Attention: flash does not take this family's heads or mask; choose auto or efficient</source>
   <translation>注意力：flash 不支持此系列的头维度或掩码；请选择 auto 或 efficient</translation>
  </message>
  <message>
   <source>Attention: flash takes heads of at most 256 elements, this model has {head_dim}; choose efficient or auto</source>
   <translation>注意力：flash 只支持不超过 256 的头维度，此模型为 {head_dim}；请选择 efficient 或 auto</translation>
  </message>
  <message>
   <source>Attention: the CPU's flash kernel has no dropout; choose auto, math or eager</source>
   <translation>注意力：CPU 的 flash 内核不支持 dropout；请选择 auto、math 或 eager</translation>
  </message>
  <message>
   <source>Attention: transformers runs this family without PyTorch's fused kernels, so {kernel} is not counted; choose auto or eager</source>
   <translation>注意力：transformers 运行此系列时不使用 PyTorch 的融合内核，因此不计 {kernel}；请选择 auto 或 eager</translation>
  </message>
  <message>
   <source>Attention: {kernel} does not exist on the CPU; choose auto, flash, math or eager</source>
   <translation>注意力：CPU 上没有 {kernel}；请选择 auto、flash、math 或 eager</translation>
  </message>
  <message>
   <source>Attention: {kernel} takes 16-bit types only, and queries are fp32; choose a 16-bit precision, efficient or auto</source>
   <translation>注意力：{kernel} 只支持 16 位类型，而查询为 fp32；请选择 16 位精度，或改用 efficient 或 auto</translation>
  </message>
  <message>
   <source>Averages of the gradients and of the weights, each as large as the parameters.</source>
   <translation>梯度与权重的滑动平均，各与参数同样大小。</translation>
  </message>
  <message>
   <source>Averages over the two largest axes where the second largest is long enough.</source>
   <translation>第二大的轴足够长时，沿最大的两个轴取平均。</translation>
  </message>
  <message>
   <source>Axes longer than this have a vector in place of a square factor.</source>
   <translation>长于此值的轴以向量代替方阵因子。</translation>
  </message>
  <message>
   <source>Axes longer than this have no squares.</source>
   <translation>超过此长度的轴没有方阵。</translation>
  </message>
  <message>
   <source>Axes shorter than this are not factored.</source>
   <translation>短于此值的轴不做分解。</translation>
  </message>
  <message>
   <source>Backward frees activations from the last layer to the first, while gradients are made in the same order.</source>
   <translation>反向从最后一层到第一层释放激活值，同时按同样的次序生成梯度。</translation>
  </message>
  <message>
   <source>Backward keeps one gradient for every trained parameter until the step has used it.</source>
   <translation>反向为每个训练的参数保留一份梯度，直到优化器更新用过它。</translation>
  </message>
  <message>
   <source>Batch: {given} is not a whole number; write one such as 1, 8 or 32, or leave it empty</source>
   <translation>批大小：{given} 不是整数；请填写 1、8 或 32 这样的数，或留空</translation>
  </message>
  <message>
   <source>Batch: {given} is outside 1 to {limit_count}; write a smaller batch</source>
   <translation>批大小：{given} 不在 1 到 {limit_count} 之间；请填写较小的批大小</translation>
  </message>
  <message>
   <source>BatchNorm statistics, rotary tables, masks, noise schedules, averaged copies and whole numbers are buffers: kept, not trained.</source>
   <translation>BatchNorm 统计量、旋转位置编码表、掩码、噪声调度、平均副本和整数均为缓冲区：保留但不训练。</translation>
  </message>
  <message>
   <source>Blocks and segments of public CUDA memory snapshots, replayed.</source>
   <translation>重放了公开的 CUDA 显存快照中的块和内存段。</translation>
  </message>
  <message>
   <source>Both moments in 8 bits with 16-bit scales; off, they take the type of the parameter.</source>
   <translation>两个矩均为 8 位，缩放因子为 16 位；关闭后与参数的类型相同。</translation>
  </message>
  <message>
   <source>Breakdown</source>
   <translation>明细</translation>
  </message>
  <message>
   <source>Buffers between ranks follow the source of each library.</source>
   <translation>rank 之间的缓冲区依据各个库的源码。</translation>
  </message>
  <message>
   <source>Buffers inside kernels: {hidden_bytes} at the peak, most of them of {op}</source>
   <translation>内核内部的缓冲区：峰值时 {hidden_bytes}，主要来自 {op}</translation>
  </message>
  <message>
   <source>Buffers of real checkpoints, as their own libraries read them: equal.</source>
   <translation>真实检查点的缓冲区，由其自身的库读取：相等。</translation>
  </message>
  <message>
   <source>Bytes alive in real steps of torch's optimizers: equal, or a bound where it depends on the data.</source>
   <translation>torch 各优化器真实更新中存活的字节数：相等；取决于数据时为上界。</translation>
  </message>
  <message>
   <source>CUDA context, NCCL and what the allocator reserves</source>
   <translation>CUDA 上下文、NCCL 以及分配器的保留量</translation>
  </message>
  <message>
   <source>CUDA context, loaded kernels and libraries</source>
   <translation>CUDA 上下文、已加载的内核和库</translation>
  </message>
  <message>
   <source>Calibrated on this GPU: a process takes {low_bytes} to {high_bytes} beyond what torch reserves, the general band is {band_low_bytes} to {band_high_bytes}</source>
   <translation>已在此 GPU 上校准：进程在 torch 的保留量之外占用 {low_bytes} 至 {high_bytes}，通用区间为 {band_low_bytes} 至 {band_high_bytes}</translation>
  </message>
  <message>
   <source>Casts that autograd saves in real steps under autocast: 0 bytes apart.</source>
   <translation>autocast 下真实训练步中 autograd 保存的转换结果：相差 0 字节。</translation>
  </message>
  <message>
   <source>Changes no memory.</source>
   <translation>不影响显存。</translation>
  </message>
  <message>
   <source>Changes no state.</source>
   <translation>不影响状态。</translation>
  </message>
  <message>
   <source>Checkpointing: transformers recomputes whole blocks, not {checkpointing}; choose full or none</source>
   <translation>激活重计算：transformers 只能整块重计算，不支持 {checkpointing}；请选择 full 或 none</translation>
  </message>
  <message>
   <source>Checkpointing: {given} is not known; write none, attention, full or every-K such as every-2</source>
   <translation>激活重计算：无法识别 {given}；请填写 none、attention、full 或 every-K，例如 every-2</translation>
  </message>
  <message>
   <source>Communication buffers appear with several GPUs.</source>
   <translation>使用多张 GPU 时才有通信缓冲区。</translation>
  </message>
  <message>
   <source>Contains code references: {names} - not executed. Do not load this file with torch.</source>
   <translation>含有代码引用：{names}，均未执行。请勿用 torch 加载此文件。</translation>
  </message>
  <message>
   <source>Context and libraries: {low_bytes} to {high_bytes}, calibrated on this GPU ({uuid}, driver {driver}, torch {torch}; {date}, runs: {runs_count}); the general band is {band_low_bytes} to {band_high_bytes}</source>
   <translation>上下文与库：{low_bytes} 至 {high_bytes}，已在此 GPU 上校准（{uuid}，驱动 {driver}，torch {torch}；{date}，运行次数：{runs_count}）；通用区间为 {band_low_bytes} 至 {band_high_bytes}</translation>
  </message>
  <message>
   <source>Counted as you entered it.</source>
   <translation>按您所填写的计入。</translation>
  </message>
  <message>
   <source>DDP copies gradients into buckets that it keeps, as large as all gradients, unless gradient_as_bucket_view=True makes the gradients part of them.</source>
   <translation>DDP 把梯度复制到其保留的桶中，与全部梯度一样大；设置 gradient_as_bucket_view=True 时，梯度就是桶的一部分。</translation>
  </message>
  <message>
   <source>DDP: every rank holds everything; only the data differs.</source>
   <translation>DDP：每个 rank 都保存全部内容；只有数据不同。</translation>
  </message>
  <message>
   <source>Data of {count} storages is missing (the first is {name}); the counts are from the pickle.</source>
   <translation>缺少 {count} 个存储的数据（第一个是 {name}）；数量以 pickle 为准。</translation>
  </message>
  <message>
   <source>Decay acts on the weights in place (AdamW): no copy of the gradient.</source>
   <translation>衰减直接原地作用于权重（AdamW）：不需要梯度副本。</translation>
  </message>
  <message>
   <source>DeepSpeed ZeRO stage {stage}, saved by {rank_count} data-parallel ranks.</source>
   <translation>DeepSpeed ZeRO 第 {stage} 阶段，由 {rank_count} 个数据并行 rank 保存。</translation>
  </message>
  <message>
   <source>Device memory: the threshold is a share of it; write how many GiB the device has</source>
   <translation>设备显存：该阈值是设备显存的一个比例；请填写设备有多少 GiB</translation>
  </message>
  <message>
   <source>Device memory: {given} is not a size in GiB; write one such as 24 or 79.1, or leave it empty</source>
   <translation>设备显存：{given} 不是以 GiB 为单位的大小；请填写 24 或 79.1 这样的数，或留空</translation>
  </message>
  <message>
   <source>Did not fit: other programs leave the GPU no room even to start ({cause}); close them, or choose another device</source>
   <translation>装不下：其他程序占用了 GPU，连启动都没有空间（{cause}）；请关闭它们，或选择其他设备</translation>
  </message>
  <message>
   <source>Did not fit: {phase} of step {step} asked for {asked_bytes} more and {free_bytes} was free on the GPU; lower the batch or choose a smaller optimizer state</source>
   <translation>装不下：第 {step} 步的{phase}阶段还要申请 {asked_bytes}，而 GPU 只剩 {free_bytes}；请减小批大小，或选择状态更小的优化器</translation>
  </message>
  <message>
   <source>Did not fit: {phase} of step {step} asked for {asked_bytes} more than the system gives; measure a smaller model of the same shape</source>
   <translation>装不下：第 {step} 步的{phase}阶段还要申请 {asked_bytes}，超出系统所能提供；请测量同样结构的较小模型</translation>
  </message>
  <message>
   <source>Dropout masks, one byte an element on CUDA.</source>
   <translation>dropout 掩码，在 CUDA 上每个元素 1 字节。</translation>
  </message>
  <message>
   <source>Each entry keeps two tensors as large as the parameters, all from the start.</source>
   <translation>每一项保留两个与参数同样大小的张量，从一开始就全部存在。</translation>
  </message>
  <message>
   <source>Each entry keeps two vectors as long as all parameters.</source>
   <translation>每条历史保留两个与全部参数等长的向量。</translation>
  </message>
  <message>
   <source>Elements that share one scale; a tensor that is not a multiple of it is not quantized.</source>
   <translation>共用一个缩放因子的元素数；大小不是其整数倍的张量不量化。</translation>
  </message>
  <message>
   <source>Embeddings and convolutions are AdamW's: two moments there, whatever their size.</source>
   <translation>嵌入层和卷积归 AdamW：无论大小都有两个矩。</translation>
  </message>
  <message>
   <source>Embeddings are trained by AdamW, with two moments.</source>
   <translation>嵌入层由 AdamW 训练，有两个矩。</translation>
  </message>
  <message>
   <source>Estimates the learning rate without the sums that Prodigy keeps.</source>
   <translation>估计学习率，但不保留 Prodigy 所用的和。</translation>
  </message>
  <message>
   <source>Every matrix goes to Muon, embeddings included; convolutions go to Adam.</source>
   <translation>每个矩阵都交给 Muon，包括嵌入层；卷积交给 Adam。</translation>
  </message>
  <message>
   <source>Every other tensor is a parameter; it is trained unless the file or a pattern says that it is frozen.</source>
   <translation>其余每个张量都是参数；除非文件或匹配模式说明已冻结，否则都训练。</translation>
  </message>
  <message>
   <source>Every rank of real processes over gloo with {shard}: 0 bytes apart.</source>
   <translation>以 {shard} 在 gloo 上运行的真实进程，每个 rank：相差 0 字节。</translation>
  </message>
  <message>
   <source>Everything in fp32: 4 bytes for a weight, 4 for its gradient.</source>
   <translation>全部使用 fp32：权重 4 字节，梯度 4 字节。</translation>
  </message>
  <message>
   <source>Experts run as one grouped product, the default of transformers 5; its sizes are not yet compared with a GPU.</source>
   <translation>专家以一次分组矩阵乘运行，这是 transformers 5 的默认方式；其大小尚未与 GPU 对比。</translation>
  </message>
  <message>
   <source>FP8-LM, arXiv 2310.18313, table 1</source>
   <translation>FP8-LM，arXiv 2310.18313，表 1</translation>
  </message>
  <message>
   <source>FSDP flat parameters: {count} flat pieces with padding stand for the model, its shapes are not in the file. Save a full state dict for exact shapes.</source>
   <translation>FSDP 扁平参数：以 {count} 个带填充的扁平片段代表模型，文件中没有模型的形状。要得到准确形状，请保存完整的 state dict。</translation>
  </message>
  <message>
   <source>FSDP1: every layer is one flat parameter, padded to a multiple of the ranks.</source>
   <translation>FSDP1：每层是一个扁平参数，填充到 rank 数的整数倍。</translation>
  </message>
  <message>
   <source>FSDP2 (fully_shard on every layer): each parameter is cut along its first axis; every rank's storage is padded to the first rank's rows, its optimizer state is not.</source>
   <translation>FSDP2（对每层调用 fully_shard）：每个参数沿第一个轴切分；各 rank 的存储都填充到首个 rank 的行数，优化器状态则不填充。</translation>
  </message>
  <message>
   <source>Far more than Adam: for a square matrix, six states of its size.</source>
   <translation>远多于 Adam：一个方阵有六份与自身同样大小的状态。</translation>
  </message>
  <message>
   <source>Far more than Adam: two squares for each axis up to 10,000 long. Vectors keep none by default.</source>
   <translation>远多于 Adam：长度不超过 10,000 的每个轴有两个方阵。向量默认没有。</translation>
  </message>
  <message>
   <source>Far more than its momentum: every axis up to 2048 long has a square factor, so a square matrix costs two more of its size.</source>
   <translation>远不止动量：长度不超过 2048 的每个轴都有一个方阵因子，因此一个方阵还要再占两份自身大小。</translation>
  </message>
  <message>
   <source>Five states as large as the parameters: moments, their maximum, slow weights.</source>
   <translation>五份与参数同样大小的状态：两个矩、其最大值、慢速权重等。</translation>
  </message>
  <message>
   <source>Five times the parameters, not Adam's two.</source>
   <translation>参数的五倍，而不是 Adam 的两倍。</translation>
  </message>
  <message>
   <source>For CUDA graphs: the step counters live on the GPU.</source>
   <translation>用于 CUDA Graph：步数计数器位于 GPU 上。</translation>
  </message>
  <message>
   <source>For bf16 parameters, 16 further bits in place of the whole fp32 master weight.</source>
   <translation>对于 bf16 参数，以额外的 16 位代替完整的 fp32 主权重。</translation>
  </message>
  <message>
   <source>Forward computes the loss and keeps what backward will need again, layer by layer.</source>
   <translation>前向计算损失，并逐层保留反向还要用到的内容。</translation>
  </message>
  <message>
   <source>Four states as large as the parameters, the previous weights among them.</source>
   <translation>四份与参数同样大小的状态，包括上一步的权重。</translation>
  </message>
  <message>
   <source>Fragmentation: more than the {high_bytes} that the estimate allows for</source>
   <translation>碎片：超过估算所允许的 {high_bytes}</translation>
  </message>
  <message>
   <source>Function: the loss of {place} is {given}; return a tensor with one element</source>
   <translation>函数：{place} 的损失是 {given}；请返回只有一个元素的张量</translation>
  </message>
  <message>
   <source>Function: there is no file {file}; correct the path before the colon</source>
   <translation>函数：没有文件 {file}；请更正冒号前的路径</translation>
  </message>
  <message>
   <source>Function: {file} has no function {name}; correct the name after the colon</source>
   <translation>函数：{file} 中没有函数 {name}；请更正冒号后的名称</translation>
  </message>
  <message>
   <source>Function: {given} is not of the form FILE.py:NAME; name a Python file and a function in it</source>
   <translation>函数：{given} 不是 FILE.py:NAME 的形式；请给出一个 Python 文件及其中的函数</translation>
  </message>
  <message>
   <source>Function: {place} failed ({cause}); correct that line</source>
   <translation>函数：{place} 失败（{cause}）；请更正该行</translation>
  </message>
  <message>
   <source>Function: {place} returned ({given}); return (model, batch, loss) or (model, loss) with a torch.nn.Module first and a function last</source>
   <translation>函数：{place} 返回了（{given}）；请返回 (model, batch, loss) 或 (model, loss)，第一项为 torch.nn.Module，最后一项为函数</translation>
  </message>
  <message>
   <source>GPU</source>
   <translation>GPU</translation>
  </message>
  <message>
   <source>GPU: {given} is not in the table; run `optmem estimate --gpu all` or choose one of {known}</source>
   <translation>GPU：表中没有 {given}；请运行 `optmem estimate --gpu all`，或从以下选择：{known}</translation>
  </message>
  <message>
   <source>GaLore with a full-rank correction where a group has a rank; without one, AdamW.</source>
   <translation>参数组设有 rank 时，为带满秩校正的 GaLore；未设时即为 AdamW。</translation>
  </message>
  <message>
   <source>GaLore, and the part of the gradient outside the low-rank space scaled by norms.</source>
   <translation>GaLore，并按范数缩放低秩空间之外的梯度分量。</translation>
  </message>
  <message>
   <source>Gathered parameters up to stage3_max_live_parameters, small ones all the time, and a buffer of reduce_bucket_size elements while backward runs.</source>
   <translation>聚集的参数，最多 stage3_max_live_parameters 个，其中小参数始终保留；反向期间另有一个 reduce_bucket_size 个元素的缓冲区。</translation>
  </message>
  <message>
   <source>Give a batch size and a sequence length to count activations.</source>
   <translation>给出批大小和序列长度后才能计算激活值。</translation>
  </message>
  <message>
   <source>Gradients are reduced in the buffer they live in.</source>
   <translation>梯度直接在其所在的缓冲区中归约。</translation>
  </message>
  <message>
   <source>Gradients live in one buffer that is made before training and zeroed, never freed.</source>
   <translation>梯度放在训练前就创建好的一个缓冲区中，只清零，从不释放。</translation>
  </message>
  <message>
   <source>Gradients of real steps on the CPU: 0 bytes apart.</source>
   <translation>CPU 上真实训练步的梯度：相差 0 字节。</translation>
  </message>
  <message>
   <source>HDF5 without Keras's layout: each of its {count} data sets counts as a tensor.</source>
   <translation>没有 Keras 结构的 HDF5：其中 {count} 个数据集各计为一个张量。</translation>
  </message>
  <message>
   <source>HSDP: FSDP2 inside a group of ranks, the groups are copies of each other.</source>
   <translation>HSDP：在一组 rank 内使用 FSDP2，各组互为副本。</translation>
  </message>
  <message>
   <source>Half of Adam's state only for the hidden matrices: embedding and head keep both moments.</source>
   <translation>只有隐藏层矩阵的状态是 Adam 的一半：嵌入层和输出头保留两个矩。</translation>
  </message>
  <message>
   <source>Heads of {head_dim} elements are wider than flash attention's 256: PyTorch picks the memory-efficient kernel.</source>
   <translation>头维度 {head_dim} 超过 flash 注意力的上限 256：PyTorch 选用内存高效内核。</translation>
  </message>
  <message>
   <source>How it was proven</source>
   <translation>验证方式</translation>
  </message>
  <message>
   <source>How much is gathered at a time follows the engine's source; not yet compared with a GPU.</source>
   <translation>每次聚集多少依据该引擎的源码；尚未与 GPU 对比。</translation>
  </message>
  <message>
   <source>Input of a linear layer: the gradient of its weight is input times incoming gradient.</source>
   <translation>线性层的输入：权重的梯度等于输入与传入梯度的乘积。</translation>
  </message>
  <message>
   <source>Input of each recomputed unit: all that checkpointing keeps.</source>
   <translation>每个重计算单元的输入：激活重计算只保留这些。</translation>
  </message>
  <message>
   <source>Inside MultiSteps: gradients are added up in fp32, whatever the type of the parameters.</source>
   <translation>外层为 MultiSteps：无论参数是何类型，梯度都以 fp32 累加。</translation>
  </message>
  <message>
   <source>Inside the MLP: what the activation function and the gate multiply.</source>
   <translation>MLP 内部：激活函数与门控相乘的张量。</translation>
  </message>
  <message>
   <source>Inside the norms: the fp32 copy and the normalised values that backward multiplies with.</source>
   <translation>归一化层内部：反向要相乘的 fp32 副本与归一化后的值。</translation>
  </message>
  <message>
   <source>It cannot train a whole model: biases, norms and convolutions need a second optimizer with its own state.</source>
   <translation>它无法训练整个模型：偏置、归一化层和卷积需要另一个优化器，而后者也有自己的状态。</translation>
  </message>
  <message>
   <source>It saves half of Adam's state, not more: the first moment stays as large as the parameters.</source>
   <translation>最多节省 Adam 状态的一半：一阶矩仍与参数同样大小。</translation>
  </message>
  <message>
   <source>It saves nothing by itself: only parameters of groups given a rank are projected; the others keep two full moments.</source>
   <translation>它本身不节省任何内存：只有设置了 rank 的参数组才做投影，其余仍保留两个完整的矩。</translation>
  </message>
  <message>
   <source>It saves nothing here: the full second moment is kept for factored variables too.</source>
   <translation>这里没有任何节省：做分解的变量也保留完整的二阶矩。</translation>
  </message>
  <message>
   <source>It saves nothing here: the full-size velocity is kept for factored variables too, so it costs as much as RMSprop and the factors on top.</source>
   <translation>这里没有任何节省：做分解的变量也保留完整大小的 velocity，因此占用与 RMSprop 相同，还要再加上各因子。</translation>
  </message>
  <message>
   <source>It saves the gradients too, which this estimate still counts: the update runs inside backward, parameter by parameter.</source>
   <translation>它还能省去梯度，但此估算仍将其计入：更新在反向中逐个参数进行。</translation>
  </message>
  <message>
   <source>It trains a whole model by itself: what is not a matrix of sensible sides, it gives to an AdamW of its own with two moments.</source>
   <translation>它能独自训练整个模型：边长不合适或并非矩阵的张量，交给自带的、有两个矩的 AdamW。</translation>
  </message>
  <message>
   <source>Iterations a step: how fast the history fills.</source>
   <translation>每步的迭代次数：决定历史填满的快慢。</translation>
  </message>
  <message>
   <source>Its rules were found by stepping {library} here.</source>
   <translation>规则由在此计算机上实际运行 {library} 得出。</translation>
  </message>
  <message>
   <source>Its state is 0 bytes from that of {library} after real steps.</source>
   <translation>真实更新之后，其状态与 {library} 的状态相差 0 字节。</translation>
  </message>
  <message>
   <source>Its state is 0 bytes from what {library} kept in an earlier run, which was not run again.</source>
   <translation>其状态与此前一次运行中 {library} 所保留的相差 0 字节；那次运行没有重做。</translation>
  </message>
  <message>
   <source>Its state is 0 bytes from what {library} kept when it was recorded.</source>
   <translation>其状态与记录时 {library} 所保留的相差 0 字节。</translation>
  </message>
  <message>
   <source>Its state is fp32 whatever the type of the parameters: 12 bytes a parameter.</source>
   <translation>无论参数是何类型，其状态均为 fp32：每参数 12 字节。</translation>
  </message>
  <message>
   <source>Its state is not all: the trace of the Hessian stays on every parameter as an fp32 attribute, and backward keeps the graph of the gradients.</source>
   <translation>不止状态：Hessian 的迹作为 fp32 属性留在每个参数上，且反向会保留梯度的计算图。</translation>
  </message>
  <message>
   <source>Its three norms a tensor live in the state too: 12 bytes a tensor in fp32.</source>
   <translation>每个张量的三个范数也在状态中：以 fp32 计每个张量 12 字节。</translation>
  </message>
  <message>
   <source>Keeps a counter.</source>
   <translation>保留一个计数器。</translation>
  </message>
  <message>
   <source>Keeps a slow average of the gradients as large as the parameters.</source>
   <translation>保留一份与参数同样大小的梯度慢速滑动平均。</translation>
  </message>
  <message>
   <source>Keeps a slow copy of the weights.</source>
   <translation>保留一份权重的慢速副本。</translation>
  </message>
  <message>
   <source>Keeps a third moment as large as the parameters.</source>
   <translation>再保留一个与参数同样大小的矩（第三个）。</translation>
  </message>
  <message>
   <source>Keeps an average of the gradients as large as the parameters.</source>
   <translation>保留一份与参数同样大小的梯度平均值。</translation>
  </message>
  <message>
   <source>Keeps an average of the weights as large as they are.</source>
   <translation>保留一份与权重同样大小的权重滑动平均。</translation>
  </message>
  <message>
   <source>Keeps an fp32 copy of the weights as part of the state; choose a scheme without master weights beside it.</source>
   <translation>权重的 fp32 副本属于其状态的一部分；请搭配不含主权重的方案。</translation>
  </message>
  <message>
   <source>Keeps the largest second moment so far, as large as the parameters.</source>
   <translation>保留迄今最大的二阶矩，与参数同样大小。</translation>
  </message>
  <message>
   <source>Keeps what rounding loses of 16-bit parameters, in a tensor as large as they are. Automatic for most 16-bit parameters.</source>
   <translation>用与 16 位参数同样大小的张量保存其舍入损失。对大多数 16 位参数自动启用。</translation>
  </message>
  <message>
   <source>Kept on the GPU all the time beside what is trained.</source>
   <translation>除正在训练的模型外，一直驻留在 GPU 上。</translation>
  </message>
  <message>
   <source>LaProp's two moments; gradients are made orthogonal to the weights.</source>
   <translation>LaProp 的两个矩；梯度经处理后与权重正交。</translation>
  </message>
  <message>
   <source>LaProp's two moments; updates of matrices are orthogonalized.</source>
   <translation>LaProp 的两个矩；矩阵的更新量经过正交化。</translation>
  </message>
  <message>
   <source>Lambda layers hold Python code ({names}): not executed. Loading this file in Keras would run it.</source>
   <translation>Lambda 层含有 Python 代码（{names}）：未执行。在 Keras 中加载此文件会运行这些代码。</translation>
  </message>
  <message>
   <source>LoRA</source>
   <translation>LoRA</translation>
  </message>
  <message>
   <source>LoRA rank: {given} is not a whole number; write one such as 8 or 16</source>
   <translation>LoRA 秩：{given} 不是整数；请填写 8 或 16 这样的数</translation>
  </message>
  <message>
   <source>LoRA rank: {given} is outside 1 to {limit_count}; write a smaller rank</source>
   <translation>LoRA 秩：{given} 不在 1 到 {limit_count} 之间；请填写较小的秩</translation>
  </message>
  <message>
   <source>LoRA rank: {rank} is below 1; write a rank such as 8 or 16</source>
   <translation>LoRA 秩：{rank} 小于 1；请填写 8 或 16 这样的秩</translation>
  </message>
  <message>
   <source>LoRA targets: no linear layer is called {targets}; this model has {known}</source>
   <translation>LoRA 目标模块：没有名为 {targets} 的线性层；此模型有 {known}</translation>
  </message>
  <message>
   <source>LoRA targets: nothing was named; write module names such as q_proj, v_proj or all-linear</source>
   <translation>LoRA 目标模块：没有填写；请填写模块名，例如 q_proj, v_proj，或 all-linear</translation>
  </message>
  <message>
   <source>Log-probabilities in fp32, tokens x vocabulary: cross-entropy keeps them for backward.</source>
   <translation>fp32 对数概率，token 数 x 词表大小：交叉熵为反向保留它们。</translation>
  </message>
  <message>
   <source>Logits that the training loop still refers to, so they live through the step.</source>
   <translation>训练循环仍在引用的 logits，因此会一直存活到优化器更新结束。</translation>
  </message>
  <message>
   <source>Longer sides are cut into blocks of this length, each with its own preconditioners.</source>
   <translation>更长的边切成此长度的块，每块有自己的预条件矩阵。</translation>
  </message>
  <message>
   <source>Loss: the models of transformers compute the full loss, not {loss}; choose full, or write a function of your own</source>
   <translation>损失：transformers 的模型计算完整损失，不支持 {loss}；请选择 full，或自行编写函数</translation>
  </message>
  <message>
   <source>Low-rank projections of the moments where a group has a rank; without one, AdamW.</source>
   <translation>参数组设有 rank 时，为矩的低秩投影；未设时即为 AdamW。</translation>
  </message>
  <message>
   <source>MS-AMP O2: fp8 weights and gradients, fp16 master weights, fp8 and fp16 Adam moments.</source>
   <translation>MS-AMP O2：fp8 权重和梯度，fp16 主权重，fp8 与 fp16 的 Adam 矩。</translation>
  </message>
  <message>
   <source>Master weights of real steps on the CPU, and the counts of the ZeRO paper and Megatron-LM: equal.</source>
   <translation>真实训练步的主权重，以及 ZeRO 论文和 Megatron-LM 的数值：相等。</translation>
  </message>
  <message>
   <source>Matrices keep squares for sides shorter than this.</source>
   <translation>短于此长度的边，矩阵为其保留方阵。</translation>
  </message>
  <message>
   <source>Matrix products need scratch memory; it is counted once a batch is given.</source>
   <translation>矩阵乘法需要暂存内存；给出批大小后才计入。</translation>
  </message>
  <message>
   <source>Measure: CUDA_VISIBLE_DEVICES={visible} hides device {given}; unset it or choose a device it shows</source>
   <translation>测量：CUDA_VISIBLE_DEVICES={visible} 隐藏了设备 {given}；请取消该变量，或选择可见的设备</translation>
  </message>
  <message>
   <source>Measure: a checkpoint's own values go with one device only; leave them out, or measure without several GPUs</source>
   <translation>测量：检查点自身的数值只能用于单个设备；请去掉，或不使用多张 GPU 进行测量</translation>
  </message>
  <message>
   <source>Measure: a {base} base needs bitsandbytes kernels and is not measured; choose a bf16 base, or rely on the estimate</source>
   <translation>测量：{base} 基座需要 bitsandbytes 内核，无法测量；请选择 bf16 基座，或以估算值为准</translation>
  </message>
  <message>
   <source>Measure: no parameter is trainable; widen the choice of trainable parameters</source>
   <translation>测量：没有可训练的参数；请放宽可训练参数的选择范围</translation>
  </message>
  <message>
   <source>Measure: on several ranks only data is split, and {given} was asked for; take it back, or rely on the estimate</source>
   <translation>测量：在多个 rank 上只切分数据，但还要求了 {given}；请撤销，或以估算值为准</translation>
  </message>
  <message>
   <source>Measure: several ranks run a transformer with a batch and a sequence, which {model} is not here; give both, or choose a model by its number of parameters</source>
   <translation>测量：多个 rank 运行的是带批大小和序列长度的 Transformer，而这里的 {model} 不是；请给出这两项，或按参数数量选择模型</translation>
  </message>
  <message>
   <source>Measure: the GPU reported an error ({cause}); restart the program, and the computer if it stays</source>
   <translation>测量：GPU 报告错误（{cause}）；请重启程序，若仍出现请重启电脑</translation>
  </message>
  <message>
   <source>Measure: the history of the caching allocator is of one device only; leave it out, or measure without several GPUs</source>
   <translation>测量：缓存分配器的历史只属于单个设备；请去掉，或不使用多张 GPU 进行测量</translation>
  </message>
  <message>
   <source>Measure: the history of the caching allocator needs a GPU, and this runs on the CPU; leave it out</source>
   <translation>测量：记录缓存分配器的历史需要 GPU，而此次在 CPU 上运行；请去掉该选项</translation>
  </message>
  <message>
   <source>Measure: the worker could not read the request ({cause}); report this with the log</source>
   <translation>测量：工作进程无法读取请求（{cause}）；请附上日志报告此问题</translation>
  </message>
  <message>
   <source>Measure: the worker crashed in {phase} ({signal}); update torch or the driver, the log has the detail</source>
   <translation>测量：工作进程在{phase}阶段崩溃（{signal}）；请更新 torch 或驱动，详情见日志</translation>
  </message>
  <message>
   <source>Measure: the worker ended in {phase} with status {status} and no result; the log has the detail</source>
   <translation>测量：工作进程在{phase}阶段以状态 {status} 退出，没有结果；详情见日志</translation>
  </message>
  <message>
   <source>Measure: the worker said nothing for {seconds} s in {phase} and was ended; measure a smaller model or try again</source>
   <translation>测量：工作进程在{phase}阶段 {seconds} s 没有响应，已被结束；请测量较小的模型，或重试</translation>
  </message>
  <message>
   <source>Measure: the worker speaks protocol version {given}, this program another; run both from one installation</source>
   <translation>测量：工作进程使用协议版本 {given}，与本程序不同；请让两者来自同一安装</translation>
  </message>
  <message>
   <source>Measure: the worker was ended by {signal} in {phase}; the system probably ran out of memory, measure a smaller model</source>
   <translation>测量：工作进程在{phase}阶段被 {signal} 结束；很可能是系统内存不足，请测量较小的模型</translation>
  </message>
  <message>
   <source>Measure: there is no device {given}, torch sees {device_count}; choose another device</source>
   <translation>测量：没有设备 {given}，torch 可见 {device_count} 个；请选择其他设备</translation>
  </message>
  <message>
   <source>Measure: torch cannot use the GPU ({cause}); update the driver or measure on the CPU</source>
   <translation>测量：torch 无法使用 GPU（{cause}）；请更新驱动，或在 CPU 上测量</translation>
  </message>
  <message>
   <source>Measure: torch has no tensors of type {dtype}; a model can hold {known}</source>
   <translation>测量：torch 没有 {dtype} 类型的张量；模型可用的类型有 {known}</translation>
  </message>
  <message>
   <source>Measure: torch in {python} does not load ({cause}); reinstall it or choose another Python in the settings</source>
   <translation>测量：{python} 中的 torch 无法加载（{cause}）；请重新安装，或在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Measure: torch itself does not run {precision}; choose another precision, or rely on the estimate</source>
   <translation>测量：torch 本身无法运行 {precision}；请选择其他精度，或以估算值为准</translation>
  </message>
  <message>
   <source>Measure: torch sees no GPU; update the driver or measure on the CPU</source>
   <translation>测量：torch 看不到任何 GPU；请更新驱动，或在 CPU 上测量</translation>
  </message>
  <message>
   <source>Measure: torch {torch} has no kernels for this GPU ({architecture}); install a build for it or measure on the CPU</source>
   <translation>测量：torch {torch} 没有适用于此 GPU（{architecture}）的内核；请安装支持它的版本，或在 CPU 上测量</translation>
  </message>
  <message>
   <source>Measure: torch {torch} in {python} is a CPU build; install a CUDA build or measure on the CPU</source>
   <translation>测量：{python} 中的 torch {torch} 是 CPU 版本；请安装 CUDA 版本，或在 CPU 上测量</translation>
  </message>
  <message>
   <source>Measure: torch {torch} is older than {oldest}; update torch or choose another Python in the settings</source>
   <translation>测量：torch {torch} 低于 {oldest}；请更新 torch，或在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Measure: torch.compile failed ({cause}); see the detail, or leave it out</source>
   <translation>测量：torch.compile 失败（{cause}）；请查看详情，或去掉该选项</translation>
  </message>
  <message>
   <source>Measure: torch.compile needs Triton on a GPU, which is not installed beside torch {torch}; install it, or leave it out</source>
   <translation>测量：torch.compile 在 GPU 上需要 Triton，但 torch {torch} 所在环境中没有安装；请安装，或去掉该选项</translation>
  </message>
  <message>
   <source>Measure: torch.compile needs a C++ compiler on the CPU and finds none; install one (g++), or leave it out</source>
   <translation>测量：torch.compile 在 CPU 上需要 C++ 编译器，但没有找到；请安装一个 (g++)，或去掉该选项</translation>
  </message>
  <message>
   <source>Measure: torch.compile needs a model, and bare tensors are measured here; give a batch and a sequence, or leave it out</source>
   <translation>测量：torch.compile 需要模型，而这里测量的只是张量；请给出批大小和序列长度，或去掉该选项</translation>
  </message>
  <message>
   <source>Measure: {device} is in use by another process in exclusive mode; end that process or choose another device</source>
   <translation>测量：{device} 正被其他进程以独占模式使用；请结束该进程，或选择其他设备</translation>
  </message>
  <message>
   <source>Measure: {file}: its values cannot be read ({cause}); choose a safetensors or torch file, or measure with random ones</source>
   <translation>测量：{file}：无法读取其数值（{cause}）；请选择 safetensors 或 torch 文件，或以随机值测量</translation>
  </message>
  <message>
   <source>Measure: {file}: there are no values for {tensor}; measure with random ones, or choose the file that has them</source>
   <translation>测量：{file}：没有 {tensor} 的数值；请以随机值测量，或选择含有这些数值的文件</translation>
  </message>
  <message>
   <source>Measure: {file}: {tensor} is {found} and the model has {wanted}; choose the checkpoint of this model, or measure with random values</source>
   <translation>测量：{file}：{tensor} 为 {found}，而模型中为 {wanted}；请选择此模型的检查点，或以随机值测量</translation>
  </message>
  <message>
   <source>Measure: {file}: {tensor} is {found} and the model has {wanted}; it is quantized or packed, measure with random values</source>
   <translation>测量：{file}：{tensor} 为 {found}，而模型中为 {wanted}；它经过量化或打包，请以随机值测量</translation>
  </message>
  <message>
   <source>Measure: {given} goes with one device only; leave it out, or measure without several GPUs</source>
   <translation>测量：{given} 只能用于单个设备；请去掉，或不使用多张 GPU 进行测量</translation>
  </message>
  <message>
   <source>Measure: {optimizer} asks what each parameter does, which a function does not tell; add --option split=matrices, or choose another optimizer</source>
   <translation>测量：{optimizer} 需要知道每个参数的用途，而函数不会说明；请加上 --option split=matrices，或选择其他优化器</translation>
  </message>
  <message>
   <source>Measure: {optimizer} does not run in torch; rely on the estimate of its state, or choose a torch optimizer</source>
   <translation>测量：{optimizer} 不在 torch 中运行；请以其状态的估算值为准，或选择 torch 优化器</translation>
  </message>
  <message>
   <source>Measure: {optimizer} updates inside backward, which does not go with {given}; take it back, or rely on the estimate</source>
   <translation>测量：{optimizer} 在反向中更新，与 {given} 不能同时使用；请撤销后者，或以估算值为准</translation>
  </message>
  <message>
   <source>Measure: {path} cannot be imported ({cause}); install its library where torch is, or choose another optimizer</source>
   <translation>测量：无法导入 {path}（{cause}）；请在 torch 所在环境中安装该库，或选择其他优化器</translation>
  </message>
  <message>
   <source>Measure: {path} does not exist in this installation (torch {torch}); update it or choose another optimizer</source>
   <translation>测量：当前安装（torch {torch}）中没有 {path}；请更新，或选择其他优化器</translation>
  </message>
  <message>
   <source>Measure: {path} has no values that can be loaded; choose a safetensors or torch checkpoint, or measure with random ones</source>
   <translation>测量：{path} 中没有可加载的数值；请选择 safetensors 或 torch 检查点，或以随机值测量</translation>
  </message>
  <message>
   <source>Measure: {path} refused its options or parameters ({cause}); change the option it names</source>
   <translation>测量：{path} 拒绝了所给的选项或参数（{cause}）；请修改其中提到的选项</translation>
  </message>
  <message>
   <source>Measure: {path}: the allocator's history cannot be written ({cause}); choose another file</source>
   <translation>测量：{path}：无法写入分配器的历史（{cause}）；请选择其他文件</translation>
  </message>
  <message>
   <source>Measure: {phase} of step {step} failed ({cause}); see the detail, or change what it names</source>
   <translation>测量：第 {step} 步的{phase}阶段失败（{cause}）；请查看详情，或修改其中提到的内容</translation>
  </message>
  <message>
   <source>Measure: {python} answered with something that is no measurement ({sample}); choose another Python in the settings</source>
   <translation>测量：{python} 返回的不是测量数据（{sample}）；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Measure: {python} cannot be started ({cause}); choose another Python in the settings</source>
   <translation>测量：无法启动 {python}（{cause}）；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Measure: {python} has no torch; install it there (pip install torch) or choose another Python in the settings</source>
   <translation>测量：{python} 中没有 torch；请在其中安装（pip install torch），或在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Measure: {ranks} ranks are too many for one CPU; ask for at most {most}, or rely on the estimate</source>
   <translation>测量：{ranks} 个 rank 对一个 CPU 来说太多；请最多设为 {most} 个，或以估算值为准</translation>
  </message>
  <message>
   <source>Measure: {ranks} ranks need a GPU each and this machine shows {gpus}; lower the number of GPUs, or measure with --device cpu</source>
   <translation>测量：{ranks} 个 rank 各需一张 GPU，而此计算机可见 {gpus} 张；请减少 GPU 数量，或用 --device cpu 测量</translation>
  </message>
  <message>
   <source>Measure: {shard} is not measured on several ranks; choose one of {known}, for a transformer</source>
   <translation>测量：{shard} 无法在多个 rank 上测量；请选择 {known} 之一，且模型须为 Transformer</translation>
  </message>
  <message>
   <source>Measure: {steps} steps are too few, the first one differs from the rest; ask for at least {fewest}</source>
   <translation>测量：{steps} 步太少，第一步与其余各步不同；请至少设为 {fewest} 步</translation>
  </message>
  <message>
   <source>Measured on {device}</source>
   <translation>实测，{device}</translation>
  </message>
  <message>
   <source>Measurement stopped in {phase}</source>
   <translation>测量已停止，当时处于{phase}阶段</translation>
  </message>
  <message>
   <source>Megatron-LM with TransformerEngine: a fused attention kernel, unless attention is eager or math.</source>
   <translation>使用 TransformerEngine 的 Megatron-LM：除非注意力为 eager 或 math，否则使用融合注意力内核。</translation>
  </message>
  <message>
   <source>Megatron-LM with the distributed optimizer: 16-bit weights and fp32 gradients whole, master weights and optimizer state cut up.</source>
   <translation>带分布式优化器的 Megatron-LM：16 位权重与 fp32 梯度保持完整，主权重与优化器状态被切分。</translation>
  </message>
  <message>
   <source>Megatron-LM, core/optimizer/distrib_optimizer.py</source>
   <translation>Megatron-LM，core/optimizer/distrib_optimizer.py</translation>
  </message>
  <message>
   <source>Megatron-LM, theoretical_memory_usage.py: 18 bytes a parameter</source>
   <translation>Megatron-LM，theoretical_memory_usage.py：每参数 18 字节</translation>
  </message>
  <message>
   <source>Moments in a low-rank space of each matrix, and the projectors.</source>
   <translation>每个矩阵在低秩空间中的矩，以及投影矩阵。</translation>
  </message>
  <message>
   <source>Moments of the gradient in a low-rank space, and the projectors into it.</source>
   <translation>低秩空间中梯度的矩，以及投影到该空间的投影矩阵。</translation>
  </message>
  <message>
   <source>Moments, and an estimate of the curvature from a second backward pass.</source>
   <translation>若干矩，以及由第二次反向得到的曲率估计。</translation>
  </message>
  <message>
   <source>Momentum and a low-rank basis of each hidden matrix; AdamW or Lion for the rest.</source>
   <translation>每个隐藏层矩阵的动量和低秩基；其余使用 AdamW 或 Lion。</translation>
  </message>
  <message>
   <source>Momentum is always kept, and in fp32 unless storage_dtype says otherwise.</source>
   <translation>总是保留动量，且除非 storage_dtype 另有指定，动量为 fp32。</translation>
  </message>
  <message>
   <source>Momentum, an average of the weights, and two squares for each side of a matrix.</source>
   <translation>动量、权重的滑动平均，以及矩阵每一侧两个方阵。</translation>
  </message>
  <message>
   <source>Most of it is {component}, of which the estimate holds {gap_bytes} more at the peak</source>
   <translation>主要在于{component}，估算在峰值时多出 {gap_bytes}</translation>
  </message>
  <message>
   <source>Most of it is {component}, of which the trace holds {gap_bytes} more at the peak</source>
   <translation>主要在于{component}，追踪在峰值时多出 {gap_bytes}</translation>
  </message>
  <message>
   <source>Multiplies neighbouring axes up to the limit before it preconditions them: fewer, larger squares.</source>
   <translation>预条件之前先把相邻的轴合并到上限以内：方阵更少、更大。</translation>
  </message>
  <message>
   <source>Muon for hidden matrices, AdamW for embedding, head, vectors and convolutions, on several GPUs.</source>
   <translation>隐藏层矩阵使用 Muon，嵌入层、输出头、向量和卷积使用 AdamW，用于多张 GPU。</translation>
  </message>
  <message>
   <source>Muon for hidden matrices, AdamW for embedding, head, vectors and convolutions.</source>
   <translation>隐藏层矩阵使用 Muon，嵌入层、输出头、向量和卷积使用 AdamW。</translation>
  </message>
  <message>
   <source>NCCL's communicators and channels</source>
   <translation>NCCL 的通信器与通道</translation>
  </message>
  <message>
   <source>NCCL's own buffers are a band of 100 to 1500 MiB in the process figure: they depend on channels and peers.</source>
   <translation>NCCL 自身的缓冲区在进程数值中以 100 到 1500 MiB 的区间计入：取决于通道数和对端数。</translation>
  </message>
  <message>
   <source>Newton-Schulz orthogonalizes one matrix at a time in bf16; the largest takes {total_bytes}</source>
   <translation>Newton-Schulz 以 bf16 逐个对矩阵做正交化；最大的一个占 {total_bytes}</translation>
  </message>
  <message>
   <source>No GPU figures: the package nvidia-ml-py is missing; install it (pip install nvidia-ml-py)</source>
   <translation>没有 GPU 数据：缺少 nvidia-ml-py 包；请安装（pip install nvidia-ml-py）</translation>
  </message>
  <message>
   <source>No NVIDIA driver was found (libnvidia-ml is missing); install the driver, or measure on the CPU</source>
   <translation>未找到 NVIDIA 驱动（缺少 libnvidia-ml）；请安装驱动，或在 CPU 上测量</translation>
  </message>
  <message>
   <source>No Python with torch was found to simulate and measure with; choose one in the settings, or name it with --python</source>
   <translation>没有找到装有 torch 的 Python 用于模拟和测量；请在设置中选择，或用 --python 指定</translation>
  </message>
  <message>
   <source>No array is there: the shapes of {count} arrays come from _METADATA, which holds no element types.</source>
   <translation>没有任何数组：{count} 个数组的形状来自 _METADATA，其中不含元素类型。</translation>
  </message>
  <message>
   <source>No casts of weights are kept.</source>
   <translation>不保留权重的转换副本。</translation>
  </message>
  <message>
   <source>No limit to an axis: a vector of 4,096 keeps two matrices of 4,096 x 4,096, an embedding two as wide as the vocabulary. momentum=0 keeps the buffer all the same.</source>
   <translation>轴长没有上限：长 4,096 的向量保留两个 4,096 x 4,096 的矩阵，嵌入层保留两个与词表同宽的矩阵。momentum=0 时缓冲区照样保留。</translation>
  </message>
  <message>
   <source>No matrix is projected: the split chooses none of this model's tensors.</source>
   <translation>没有矩阵被投影：划分方式没有选中此模型的任何张量。</translation>
  </message>
  <message>
   <source>No measurement is kept yet; `optmem measure` makes one</source>
   <translation>还没有保存任何测量结果；`optmem measure` 可进行一次测量</translation>
  </message>
  <message>
   <source>No model weights found: none of the {count} tensors can be trained.</source>
   <translation>未找到模型权重：{count} 个张量中没有可训练的。</translation>
  </message>
  <message>
   <source>No more than AdamW: the averaged weights are not stored, z takes the place of the first moment.</source>
   <translation>不比 AdamW 多：不保存平均权重，z 取代了一阶矩。</translation>
  </message>
  <message>
   <source>No smaller than 8-bit: one byte an element and a scale a block. A tensor whose size blocks do not divide is kept in full.</source>
   <translation>并不比 8 位更小：每元素 1 字节，每块一个缩放因子。大小不能被块整除的张量以完整精度保存。</translation>
  </message>
  <message>
   <source>No state of its own: the gradient buffers carry the momentum.</source>
   <translation>没有自己的状态：动量存放在梯度缓冲区中。</translation>
  </message>
  <message>
   <source>No state, but foreach with weight decay or maximize copies every gradient in the step.</source>
   <translation>没有状态，但 foreach 加上权重衰减或 maximize 会在更新时复制全部梯度。</translation>
  </message>
  <message>
   <source>No state, or row and column averages; gradients are used up in backward.</source>
   <translation>没有状态，或只有行平均与列平均；梯度在反向中即被用掉。</translation>
  </message>
  <message>
   <source>No state.</source>
   <translation>没有状态。</translation>
  </message>
  <message>
   <source>No state: each gradient updates its parameter in backward and is freed.</source>
   <translation>没有状态：每个梯度在反向中更新其参数后即释放。</translation>
  </message>
  <message>
   <source>No state: the step is scaled to the norms of weights and gradients.</source>
   <translation>没有状态：步长按权重与梯度的范数缩放。</translation>
  </message>
  <message>
   <source>Non-standard file: {second} uses the same bytes as {first}; counted once ({pair_count} such).</source>
   <translation>非标准文件：{second} 与 {first} 使用相同的字节；只计一次（共 {pair_count} 处）。</translation>
  </message>
  <message>
   <source>Not 4 bytes a parameter, and not always tiny: only the last two axes are factored, so a 3 x 3 convolution keeps two thirds of its size, a 1 x 1 one twice its size. Its docstring promises foreach on CUDA; the code runs the for-loop.</source>
   <translation>并非每参数 4 字节，也并不总是很小：只对最后两个轴做分解，因此 3 x 3 卷积的状态为其大小的三分之二，1 x 1 卷积则为两倍。文档字符串称在 CUDA 上使用 foreach，代码实际运行 for 循环。</translation>
  </message>
  <message>
   <source>Not 4 bytes a parameter: close to none for matrices, always in fp32. Only the last two axes are factored, so a 3 x 3 convolution keeps two thirds of its size.</source>
   <translation>并非每参数 4 字节：矩阵的状态接近于零，且总为 fp32。只对最后两个轴做分解，因此 3 x 3 卷积的状态为其大小的三分之二。</translation>
  </message>
  <message>
   <source>Not 4 bytes a parameter: the compensation (shift) makes it 6.</source>
   <translation>并非每参数 4 字节：补偿量 (shift) 使其成为 6 字节。</translation>
  </message>
  <message>
   <source>Not 8 bytes a parameter always: 4 with 16-bit parameters, 8 with fp32; autocast keeps 8.</source>
   <translation>并不总是每参数 8 字节：16 位参数为 4，fp32 为 8；autocast 下仍为 8。</translation>
  </message>
  <message>
   <source>Not Adam's memory: each side adds two squares in fp32, so a square matrix keeps 24 bytes a parameter.</source>
   <translation>占用与 Adam 不同：每一侧增加两个 fp32 方阵，因此方阵每参数保留 24 字节。</translation>
  </message>
  <message>
   <source>Not Adam's size: it keeps the last ten gradients by default, each as large as the parameters; the first steps show fewer.</source>
   <translation>大小与 Adam 不同：默认保留最近十份梯度，各与参数同样大小；最初几步较少。</translation>
  </message>
  <message>
   <source>Not Adam's size: the slow weights are a third state, there from the first step.</source>
   <translation>大小与 Adam 不同：慢速权重是第三份状态，从第一步起就存在。</translation>
  </message>
  <message>
   <source>Not Adam's size: the slow weights are a third state; and its moments are fp32 also for 16-bit parameters.</source>
   <translation>大小与 Adam 不同：慢速权重是第三份状态；且参数为 16 位时，它的矩也是 fp32。</translation>
  </message>
  <message>
   <source>Not SGD's memory: three tensors as large as the parameters, also without momentum.</source>
   <translation>占用并不像 SGD 那样小：三个与参数同样大小的张量，不用动量时也是如此。</translation>
  </message>
  <message>
   <source>Not SGD's size: every beta has a buffer as large as the parameters.</source>
   <translation>大小与 SGD 不同：每个 beta 都有一个与参数同样大小的缓冲区。</translation>
  </message>
  <message>
   <source>Not available: driver and nvidia-ml-py disagree about the list of processes (the first 535 drivers did); update the driver, the device's total less its baseline stands in</source>
   <translation>不可用：驱动与 nvidia-ml-py 对进程列表的格式不一致（最早的 535 驱动如此）；请更新驱动，目前改用设备总用量减去其基线</translation>
  </message>
  <message>
   <source>Not available: the driver does not tell what a process uses here (Windows, WSL, a container or a virtual GPU); the device's total less its baseline stands in</source>
   <translation>不可用：驱动在此环境下不提供单个进程的用量（Windows、WSL、容器或虚拟 GPU）；改用设备总用量减去其基线</translation>
  </message>
  <message>
   <source>Not calibrated: another process changed what it uses of the GPU meanwhile; close it and measure again</source>
   <translation>未校准：在此期间另一进程改变了其 GPU 占用；请关闭该进程后重新测量</translation>
  </message>
  <message>
   <source>Not calibrated: no sample fell behind the moment at which torch had reserved most; measure more steps</source>
   <translation>未校准：在 torch 保留最多的时刻之后没有采样；请测量更多步</translation>
  </message>
  <message>
   <source>Not calibrated: the GPU shares the system's memory, so what the process holds there is not known</source>
   <translation>未校准：此 GPU 与系统共用内存，无法得知进程在其中占用多少</translation>
  </message>
  <message>
   <source>Not calibrated: the driver does not tell what one process uses here</source>
   <translation>未校准：此处的驱动不提供单个进程的占用量</translation>
  </message>
  <message>
   <source>Not calibrated: the driver shows less for the process than torch reserved; update the driver</source>
   <translation>未校准：驱动显示的进程占用少于 torch 所保留的；请更新驱动</translation>
  </message>
  <message>
   <source>Not calibrated: the measurement did not finish</source>
   <translation>未校准：测量没有完成</translation>
  </message>
  <message>
   <source>Not calibrated: the run did not fit, the driver moved a part to host memory; measure a smaller model</source>
   <translation>未校准：运行装不下，驱动把一部分移到了主机内存；请测量较小的模型</translation>
  </message>
  <message>
   <source>Not calibrated: this did not run on a GPU</source>
   <translation>未校准：此次没有在 GPU 上运行</translation>
  </message>
  <message>
   <source>Not counted: buffers inside CUDA kernels (reductions, sorting), usually a few MiB, and the cuBLASLt workspace.</source>
   <translation>未计入：CUDA 内核内部的缓冲区（归约、排序），通常几 MiB；以及 cuBLASLt 工作区。</translation>
  </message>
  <message>
   <source>Not counted: cuDNN's workspaces; buffers inside other kernels. What large blocks keep beyond their requests is counted, to within 1 % of what is allocated.</source>
   <translation>未计入：cuDNN 工作区；其他内核内部的缓冲区。大块超出请求的部分已计入，误差在已分配量的 1 % 以内。</translation>
  </message>
  <message>
   <source>Not counted: partial results of the sums that make gradients of biases; they depend on the GPU, so choose one to count them.</source>
   <translation>未计入：对偏置梯度求和时的部分结果；它们取决于 GPU，选择一张 GPU 即可计入。</translation>
  </message>
  <message>
   <source>Not counted: scratch of oneDNN's fp16 matrix products, fp32 copies of tiles that depend on the processor and its threads; for one measured backward the estimate was 12 % too low.</source>
   <translation>未计入：oneDNN 的 fp16 矩阵乘法的暂存内存，即分块的 fp32 副本，取决于处理器及其线程数；在一次实测的反向中，估算值偏低 12 %。</translation>
  </message>
  <message>
   <source>Not counted: what a large block keeps beyond its request, up to 1 MiB each and 2 % in all; cuDNN's workspaces; buffers inside other kernels.</source>
   <translation>未计入：大块超出请求的部分，每块至多 1 MiB，总计约 2 %；cuDNN 工作区；其他内核内部的缓冲区。</translation>
  </message>
  <message>
   <source>Not every matrix is factored: with the default of 128 an embedding of width 96 or a 3 x 3 convolution keeps its full second moment. Its momentum is fp32 whatever the parameter.</source>
   <translation>并非每个矩阵都做分解：默认值为 128 时，宽 96 的嵌入层或 3 x 3 卷积保留完整的二阶矩。无论参数是何类型，其动量均为 fp32。</translation>
  </message>
  <message>
   <source>Not for every model: it fails on single numbers and on convolutions.</source>
   <translation>并非适用于所有模型：遇到单个数和卷积会失败。</translation>
  </message>
  <message>
   <source>Not for vectors: a bias of n numbers keeps a basis of n x 256.</source>
   <translation>不适合向量：含 n 个数的偏置要保留 n x 256 的基。</translation>
  </message>
  <message>
   <source>Not full squares, and not at the first step: packed triangles, allocated when the optimizer is made, in fp32 whatever the type of the parameters.</source>
   <translation>不是完整方阵，也不在第一步分配：而是打包的三角矩阵，在创建优化器时分配，无论参数是何类型均为 fp32。</translation>
  </message>
  <message>
   <source>Not half a byte a moment: with the scale of each block it is 0.53, and a tensor whose size blocks do not divide is kept in full.</source>
   <translation>每个矩并非半个字节：加上各块的缩放因子为 0.53，且大小不能被块整除的张量以完整精度保存。</translation>
  </message>
  <message>
   <source>Not kept: {path} cannot be written ({why}); free the disk or make the folder writable</source>
   <translation>未保存：无法写入 {path}（{why}）；请腾出磁盘空间，或使该文件夹可写</translation>
  </message>
  <message>
   <source>Not low-rank by default: rank_fraction 1 keeps a square basis as wide as the shorter side.</source>
   <translation>默认并非低秩：rank_fraction 为 1 时保留与短边同宽的方阵基。</translation>
  </message>
  <message>
   <source>Not near 0: a first moment in bf16 is kept by default, 2 bytes a parameter.</source>
   <translation>并非接近于 0：默认保留一个 bf16 一阶矩，每参数 2 字节。</translation>
  </message>
  <message>
   <source>Not nearly free: by default it keeps a bf16 momentum as large as the parameters.</source>
   <translation>并非几乎没有代价：默认保留一份与参数同样大小的 bf16 动量。</translation>
  </message>
  <message>
   <source>Not predicted: the step does not run in torch.</source>
   <translation>不预测：更新不在 torch 中运行。</translation>
  </message>
  <message>
   <source>Not stateless with 16-bit parameters: even without momentum the Kahan compensation is as large as the weights.</source>
   <translation>使用 16 位参数时并非没有状态：即使不用动量，Kahan 补偿也与权重一样大。</translation>
  </message>
  <message>
   <source>Not stateless without momentum: the buffer is made all the same.</source>
   <translation>不用动量时也并非没有状态：照样会创建缓冲区。</translation>
  </message>
  <message>
   <source>Not stateless: the momentum slot is allocated even where momentum is 0 (Keras 3 and the legacy class have none then).</source>
   <translation>并非没有状态：即使动量为 0 也会分配动量 slot（此时 Keras 3 和旧版类则没有）。</translation>
  </message>
  <message>
   <source>Not sublinear as it stands: the momentum buffer is kept even at 0, and a vector costs twice its size.</source>
   <translation>照默认设置并非亚线性：动量为 0 时也保留缓冲区，而向量要占自身大小的两倍。</translation>
  </message>
  <message>
   <source>Not the axes that others factor: a convolution is factored over its channels, so a 3 x 3 kernel does not spoil the saving; sides of 16 or less are kept in full.</source>
   <translation>分解的轴与其他实现不同：卷积按通道分解，因此 3 x 3 卷积核不会影响节省；长度不超过 16 的边以完整大小保留。</translation>
  </message>
  <message>
   <source>Not torch's ASGD, which averages the weights: this one keeps no copy of them.</source>
   <translation>并非 torch 的 ASGD：后者对权重取平均，而这一个不保留权重副本。</translation>
  </message>
  <message>
   <source>Not yet compared with a GPU: {operators}</source>
   <translation>尚未与 GPU 对比：{operators}</translation>
  </message>
  <message>
   <source>Nothing of it is in use at the peak, which falls in {phase}</source>
   <translation>峰值处于{phase}阶段，此时这一项没有占用</translation>
  </message>
  <message>
   <source>Nothing opened: what was dropped is not a file or folder on this computer</source>
   <translation>未打开任何内容：拖放的不是本机上的文件或文件夹</translation>
  </message>
  <message>
   <source>Nothing opened: {name} is no checkpoint, model folder, config.json, .optmem file or memory snapshot</source>
   <translation>未打开任何内容：{name} 不是检查点、模型文件夹、config.json、.optmem 文件或显存快照</translation>
  </message>
  <message>
   <source>Nothing opened: {number_count} items were dropped; drop one file, or the folder that holds them</source>
   <translation>未打开任何内容：拖放了 {number_count} 项；请只拖放一个文件，或包含它们的文件夹</translation>
  </message>
  <message>
   <source>Nothing says how many bits a packed weight has: 4 is assumed. Open the folder with its config.json.</source>
   <translation>没有任何信息说明打包权重的位数：按 4 位计算。请连同 config.json 打开整个文件夹。</translation>
  </message>
  <message>
   <source>Nothing was calibrated on {given}; calibrated are: {known}</source>
   <translation>{given} 上没有校准结果；已校准的有：{known}</translation>
  </message>
  <message>
   <source>Nothing was entered.</source>
   <translation>没有填写任何内容。</translation>
  </message>
  <message>
   <source>Nothing without momentum, one buffer with it.</source>
   <translation>不用动量时没有状态，用动量时有一个缓冲区。</translation>
  </message>
  <message>
   <source>Nothing without momentum, one buffer with it; nesterov=true with momentum is NAG.</source>
   <translation>不用动量时没有状态，用动量时有一个缓冲区；nesterov=true 加动量即为 NAG。</translation>
  </message>
  <message>
   <source>Nothing, or one momentum buffer as large as the parameters.</source>
   <translation>没有状态，或一个与参数同样大小的动量缓冲区。</translation>
  </message>
  <message>
   <source>Objects of {names} were not built; tensors in them are counted.</source>
   <translation>{names} 的对象未被构造；其中的张量已计入。</translation>
  </message>
  <message>
   <source>Of buffers inside CUDA kernels, partial results of the sums that make gradients of biases are counted, for this GPU; not counted: others, usually a few MiB, and the cuBLASLt workspace.</source>
   <translation>CUDA 内核内部的缓冲区中，对偏置梯度求和时的部分结果已按此 GPU 计入；未计入：其余缓冲区，通常几 MiB，以及 cuBLASLt 工作区。</translation>
  </message>
  <message>
   <source>Off, one number a projected matrix limits how fast updates grow.</source>
   <translation>关闭时，每个投影矩阵保存一个数，用于限制更新量增长的速度。</translation>
  </message>
  <message>
   <source>Off, the state takes the type of the parameter.</source>
   <translation>关闭后，状态的类型与参数相同。</translation>
  </message>
  <message>
   <source>Offload: host figures are the tensors' own; torch rounds every pinned buffer up to a power of two, so keep up to twice as much free.</source>
   <translation>卸载：主机内存数值为张量自身的大小；torch 把每个锁页缓冲区向上取整到 2 的幂，请预留最多两倍的空闲内存。</translation>
  </message>
  <message>
   <source>On a live GPU: Measure compares with yours.</source>
   <translation>在真实的 GPU 上：“测量”会与您的 GPU 对比。</translation>
  </message>
  <message>
   <source>On the CPU PyTorch has one fused kernel, also called flash, for every type.</source>
   <translation>在 CPU 上，PyTorch 只有一个融合内核，也叫 flash，适用于所有类型。</translation>
  </message>
  <message>
   <source>On, it keeps z; off, a first moment: as many bytes.</source>
   <translation>开启时保留 z，关闭时保留一阶矩：字节数相同。</translation>
  </message>
  <message>
   <source>One GPU is traced with the whole model; what {gpus} GPUs share is in the estimate alone</source>
   <translation>追踪的是一张 GPU 上的完整模型；{gpus} 张 GPU 如何分担只在估算中给出</translation>
  </message>
  <message>
   <source>One average of squares; centered and momentum add one each.</source>
   <translation>一份平方的滑动平均；centered 和 momentum 各再加一份。</translation>
  </message>
  <message>
   <source>One average of squares; momentum and centered add one each.</source>
   <translation>一份平方的滑动平均；momentum 和 centered 各再加一份。</translation>
  </message>
  <message>
   <source>One buffer of reduce_bucket_size elements while backward runs.</source>
   <translation>反向期间有一个 reduce_bucket_size 个元素的缓冲区。</translation>
  </message>
  <message>
   <source>One fp32 number a row (log-sum-exp) from which backward rebuilds the probabilities.</source>
   <translation>每行一个 fp32 数（log-sum-exp），反向据此重建概率。</translation>
  </message>
  <message>
   <source>One kernel in place: no temporaries. Set to false, it also switches the automatic foreach off.</source>
   <translation>单个内核原地更新：没有临时张量。设为 false 时，自动启用的 foreach 也会关闭。</translation>
  </message>
  <message>
   <source>One moment as large as the parameters, and one number a tensor.</source>
   <translation>一个与参数同样大小的矩，外加每个张量一个数。</translation>
  </message>
  <message>
   <source>One moment as large as the parameters.</source>
   <translation>一个与参数同样大小的矩。</translation>
  </message>
  <message>
   <source>One momentum buffer, always.</source>
   <translation>总是有一个动量缓冲区。</translation>
  </message>
  <message>
   <source>One momentum buffer, and a triangular factor for each axis of a tensor.</source>
   <translation>一个动量缓冲区，外加张量每个轴一个三角因子。</translation>
  </message>
  <message>
   <source>One momentum buffer; only the sign of the update is used.</source>
   <translation>一个动量缓冲区；更新只取其符号。</translation>
  </message>
  <message>
   <source>One momentum buffer; the update is orthogonalized. Matrices only.</source>
   <translation>一个动量缓冲区；更新量经过正交化。仅用于矩阵。</translation>
  </message>
  <message>
   <source>One momentum buffer; updates of matrices are orthogonalized.</source>
   <translation>一个动量缓冲区；矩阵的更新量经过正交化。</translation>
  </message>
  <message>
   <source>One momentum for every matrix, two moments for the rest.</source>
   <translation>每个矩阵一份动量，其余张量两个矩。</translation>
  </message>
  <message>
   <source>One momentum for matrices, two moments for everything else.</source>
   <translation>矩阵一份动量，其余全部两个矩。</translation>
  </message>
  <message>
   <source>One number a row (a neuron), and one a tensor.</source>
   <translation>每行（即每个神经元）一个数，外加每个张量一个数。</translation>
  </message>
  <message>
   <source>One number a row and one a column of each matrix.</source>
   <translation>每个矩阵每行一个数、每列一个数。</translation>
  </message>
  <message>
   <source>One number a tensor for the second moment and for the decay; momentum adds a buffer.</source>
   <translation>每个张量为二阶矩和衰减各保存一个数；使用动量再加一个缓冲区。</translation>
  </message>
  <message>
   <source>One number for each index along each axis, and a momentum buffer if asked.</source>
   <translation>沿每个轴每个索引一个数，并可选一个动量缓冲区。</translation>
  </message>
  <message>
   <source>One number for each index along each axis, and a momentum buffer.</source>
   <translation>沿每个轴每个索引一个数，外加一个动量缓冲区。</translation>
  </message>
  <message>
   <source>One or two fp32 numbers a token that the norms keep.</source>
   <translation>归一化层为每个 token 保留的一到两个 fp32 数。</translation>
  </message>
  <message>
   <source>One parameter is updated at a time: its update projected back to full size takes about {total_bytes}. A step that makes new projectors also holds the singular vectors.</source>
   <translation>一次更新一个参数：其更新量投影回完整大小约占 {total_bytes}。重新计算投影矩阵的那一步还会持有奇异向量。</translation>
  </message>
  <message>
   <source>One parameter is updated at a time; the tensors that its update makes take at most about {total_bytes}</source>
   <translation>一次更新一个参数；更新时生成的张量最多约占 {total_bytes}</translation>
  </message>
  <message>
   <source>One running sum or average of squared gradients, as large as the parameters.</source>
   <translation>一份梯度平方的累加和或滑动平均，与参数同样大小。</translation>
  </message>
  <message>
   <source>One second moment, and one norm for each matrix.</source>
   <translation>一个二阶矩，外加每个矩阵一个范数。</translation>
  </message>
  <message>
   <source>One step</source>
   <translation>一个训练步</translation>
  </message>
  <message>
   <source>One sum of squares, allocated when the optimizer is made.</source>
   <translation>一份平方和，在创建优化器时分配。</translation>
  </message>
  <message>
   <source>Only an adapter of {count} parameters: add the base model, whose weights are not in this file.</source>
   <translation>只有 {count} 个参数的适配器：请补上基座模型，其权重不在此文件中。</translation>
  </message>
  <message>
   <source>Only the adapters have gradients; the frozen base has none.</source>
   <translation>只有适配器有梯度；冻结的基座没有。</translation>
  </message>
  <message>
   <source>Only the gradient is sparse: both moments are dense, as large as Adam's.</source>
   <translation>只有梯度是稀疏的：两个矩都是稠密的，与 Adam 一样大。</translation>
  </message>
  <message>
   <source>Only the second moment is factored: the first moment stays in full size, and in fp32 also for 16-bit parameters.</source>
   <translation>只有二阶矩做分解：一阶矩仍为完整大小，且参数为 16 位时也是 fp32。</translation>
  </message>
  <message>
   <source>OptMem {version}, {date}; an estimate, all figures per GPU</source>
   <translation>OptMem {version}，{date}；为估算值，所有数值均按每张 GPU 计</translation>
  </message>
  <message>
   <source>Optimizer</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>Optimizer class: {given} is no import path; write package.module:Class, such as mypackage.optim:MyAdam</source>
   <translation>优化器类：{given} 不是导入路径；请写成 package.module:Class，例如 mypackage.optim:MyAdam</translation>
  </message>
  <message>
   <source>Optimizer option {given}: {optimizer} does not take it; it takes {known}</source>
   <translation>优化器选项 {given}：{optimizer} 不接受此选项；可用选项为 {known}</translation>
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not a number; write one such as 0.9</source>
   <translation>{optimizer} 的选项 {option}：{given} 不是数字；请填写 0.9 这样的数</translation>
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not a switch; write true or false</source>
   <translation>{optimizer} 的选项 {option}：{given} 不是开关值；请填写 true 或 false</translation>
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not a whole number; write one such as 10</source>
   <translation>{optimizer} 的选项 {option}：{given} 不是整数；请填写 10 这样的数</translation>
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is not known; choose {choices}</source>
   <translation>{optimizer} 的选项 {option}：无法识别 {given}；请选择 {choices}</translation>
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is out of range; write a number from {low} to {high}</source>
   <translation>{optimizer} 的选项 {option}：{given} 超出范围；请填写 {low} 到 {high} 之间的数</translation>
  </message>
  <message>
   <source>Optimizer option {option} of {optimizer}: {given} is too small; write {low} or more</source>
   <translation>{optimizer} 的选项 {option}：{given} 太小；请填写不小于 {low} 的数</translation>
  </message>
  <message>
   <source>Optimizer option: {given} is not name=value; write it as in amsgrad=true</source>
   <translation>优化器选项：{given} 不是 name=value 形式；请写成 amsgrad=true 这样</translation>
  </message>
  <message>
   <source>Optimizer state ({kind}) for {count} parameters; no model weights. Open the model itself for an estimate.</source>
   <translation>{count} 个参数的优化器状态（{kind}）；没有模型权重。请打开模型本身进行估算。</translation>
  </message>
  <message>
   <source>Optimizer: {given} is not known; did you mean {near}? `optmem optimizers` lists all</source>
   <translation>优化器：无法识别 {given}；您是否想用 {near}？`optmem optimizers` 可列出全部</translation>
  </message>
  <message>
   <source>Option: {given} is not name=value; write it as in lr=0.001 or amsgrad=true</source>
   <translation>选项：{given} 不是 name=value 形式；请写成 lr=0.001 或 amsgrad=true 这样</translation>
  </message>
  <message>
   <source>Other models on the same GPU, such as an EMA copy, are not part of this scenario.</source>
   <translation>同一 GPU 上的其他模型（例如 EMA 副本）不在此方案中。</translation>
  </message>
  <message>
   <source>Other processes on the GPU changed their memory by {change_bytes} meanwhile; close them and measure again for an exact figure</source>
   <translation>测量期间，GPU 上其他进程的显存变化了 {change_bytes}；请关闭它们并重新测量，以得到准确数值</translation>
  </message>
  <message>
   <source>Output of the adapter's first matrix, rank numbers a token.</source>
   <translation>适配器第一个矩阵的输出，每个 token 有秩个数。</translation>
  </message>
  <message>
   <source>Output of the adapter.</source>
   <translation>适配器的输出。</translation>
  </message>
  <message>
   <source>PEFT casts the input of each adapter to the adapter's type: one copy for every adapted layer.</source>
   <translation>PEFT 把每个适配器的输入转换为适配器的类型：每个带适配器的层一份副本。</translation>
  </message>
  <message>
   <source>PEFT holds what is left unquantized in fp32, so the residual stream and what quantized layers return is fp32.</source>
   <translation>PEFT 以 fp32 保存未量化的部分，因此残差流和量化层的输出都是 fp32。</translation>
  </message>
  <message>
   <source>PEFT, autocast_adapter_dtype and prepare_model_for_kbit_training; bitsandbytes, Params4bit and Int8Params</source>
   <translation>PEFT，autocast_adapter_dtype 与 prepare_model_for_kbit_training；bitsandbytes，Params4bit 与 Int8Params</translation>
  </message>
  <message>
   <source>Packed weights ({schemes}): {stored_count} stored elements ({packed_bytes}) hold {count} parameters. Training needs them unpacked, or frozen under adapters.</source>
   <translation>打包权重（{schemes}）：{stored_count} 个存储元素（{packed_bytes}）容纳 {count} 个参数。训练时需要解包，或冻结后配适配器。</translation>
  </message>
  <message>
   <source>Paging is not offloading: only tensors of 100,000 elements or more are in managed memory, and it stays on the GPU until the GPU is full.</source>
   <translation>分页不等于卸载：只有含 100,000 个及以上元素的张量位于统一内存中，且在 GPU 占满之前一直留在 GPU 上。</translation>
  </message>
  <message>
   <source>Parameters</source>
   <translation>参数量</translation>
  </message>
  <message>
   <source>Parameters of one shape are stacked and updated at once, so the largest such stack decides: at most {total_bytes}. foreach=false takes them one by one.</source>
   <translation>形状相同的参数堆叠后一起更新，因此由最大的一组决定：最多 {total_bytes}。foreach=false 则逐个处理。</translation>
  </message>
  <message>
   <source>Parameters with fewer axes have vectors only.</source>
   <translation>轴数更少的参数只有向量。</translation>
  </message>
  <message>
   <source>Parameters: a model needs at least one parameter</source>
   <translation>参数量：模型至少要有一个参数</translation>
  </message>
  <message>
   <source>Parameters: nothing was typed; write a number such as 7B, 125M or 6.74e9</source>
   <translation>参数量：没有填写；请填写 7B、125M 或 6.74e9 这样的数</translation>
  </message>
  <message>
   <source>Parameters: {given} can be read two ways; write it without the separator, or as 1.5e9</source>
   <translation>参数量：{given} 有两种读法；请去掉分隔符，或写成 1.5e9 这样</translation>
  </message>
  <message>
   <source>Parameters: {given} is more than 1,000,000T (1e18); check the exponent</source>
   <translation>参数量：{given} 超过 1,000,000T (1e18)；请检查指数</translation>
  </message>
  <message>
   <source>Parameters: {given} is negative; write a positive number such as 7B</source>
   <translation>参数量：{given} 是负数；请填写 7B 这样的正数</translation>
  </message>
  <message>
   <source>Parameters: {given} is not a number; write 7B, 125M, 6.74e9 or 7,000,000,000</source>
   <translation>参数量：{given} 不是数字；请填写 7B、125M、6.74e9 或 7,000,000,000</translation>
  </message>
  <message>
   <source>Parameters: {given} is not a whole number of parameters; did you mean a suffix, as in 1.5B?</source>
   <translation>参数量：{given} 不是整数个参数；是否漏了后缀，例如 1.5B？</translation>
  </message>
  <message>
   <source>Peak</source>
   <translation>峰值</translation>
  </message>
  <message>
   <source>Peak in {phase}</source>
   <translation>峰值位于{phase}</translation>
  </message>
  <message>
   <source>Peak in {phase} over {steps} steps after the first: {low_bytes} to {high_bytes}, median {median_bytes}; in the first step {first_bytes}</source>
   <translation>首步之后的 {steps} 步中，{phase}阶段的峰值为 {low_bytes} 至 {high_bytes}，中位数 {median_bytes}；首步为 {first_bytes}</translation>
  </message>
  <message>
   <source>Phases</source>
   <translation>阶段</translation>
  </message>
  <message>
   <source>Pipeline: one forward, one backward in turn (1F1B).</source>
   <translation>流水线：前向与反向逐个交替 (1F1B)。</translation>
  </message>
  <message>
   <source>Precision</source>
   <translation>精度</translation>
  </message>
  <message>
   <source>Precision: {given} is not known; choose one of {known}</source>
   <translation>精度：无法识别 {given}；请从以下选择：{known}</translation>
  </message>
  <message>
   <source>Preset: {given} is not known; near it: {known} (optmem presets lists all)</source>
   <translation>预设：未知的 {given}；相近的有 {known}（optmem presets 可列出全部）</translation>
  </message>
  <message>
   <source>Presets: none has {given} in its name; optmem presets lists all</source>
   <translation>预设：没有名称含 {given} 的预设；optmem presets 可列出全部</translation>
  </message>
  <message>
   <source>Process {pid} ({name}) changed what it uses of the GPU by {change_bytes} meanwhile; end it and measure again for an exact figure</source>
   <translation>进程 {pid}（{name}）的 GPU 占用在此期间变化了 {change_bytes}；要得到准确数值，请结束该进程后重新测量</translation>
  </message>
  <message>
   <source>Process, as the driver shows it</source>
   <translation>进程（驱动所显示的）</translation>
  </message>
  <message>
   <source>Projected moments have rank x side elements; cut to the shorter side by a singular value decomposition.</source>
   <translation>投影后的矩有“秩 x 边长”个元素；使用奇异值分解时秩截断到短边。</translation>
  </message>
  <message>
   <source>Published readings of the CUDA context on other people's GPUs.</source>
   <translation>公开发表的、他人 GPU 上的 CUDA 上下文读数。</translation>
  </message>
  <message>
   <source>Pure bf16: weights, gradients and a state that follows them take 2 bytes each. No fp32 copy.</source>
   <translation>纯 bf16：权重、梯度以及随之而定的状态各占 2 字节。没有 fp32 副本。</translation>
  </message>
  <message>
   <source>Pure fp16 without a master copy loses updates smaller than about 1/1000 of a weight; most people want amp-fp16 or fp16-master.</source>
   <translation>没有主权重的纯 fp16 会丢失小于权重约 1/1000 的更新；多数情况下应使用 amp-fp16 或 fp16-master。</translation>
  </message>
  <message>
   <source>Pure fp16: 2 bytes for weights and gradients, no fp32 copy; small updates are lost.</source>
   <translation>纯 fp16：权重和梯度各 2 字节，没有 fp32 副本；微小的更新会丢失。</translation>
  </message>
  <message>
   <source>PyTorch's caching allocator hands out multiples of 512 bytes, and above 1 MiB it leaves up to 1 MiB of a segment with the tensor instead of splitting it off; many tiny tensors, or sizes just short of a segment, make this visible.</source>
   <translation>PyTorch 的缓存分配器按 512 字节的倍数分配；大于 1 MiB 时，内存段末尾不超过 1 MiB 的剩余部分会留给该张量而不切分；张量多而小，或大小略小于内存段时，这一项会很明显。</translation>
  </message>
  <message>
   <source>Python, torch and their libraries</source>
   <translation>Python、torch 及其各个库</translation>
  </message>
  <message>
   <source>Queries are fp32: flash attention takes only 16-bit types, so PyTorch picks the memory-efficient kernel.</source>
   <translation>查询为 fp32：flash 注意力只支持 16 位类型，因此 PyTorch 选用内存高效内核。</translation>
  </message>
  <message>
   <source>Queries, keys, values and the output of attention.</source>
   <translation>注意力的查询、键、值与输出。</translation>
  </message>
  <message>
   <source>RAdam and a slow copy of the weights: three states as large as the parameters.</source>
   <translation>RAdam 加一份权重的慢速副本：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>RAdam's two moments in fp32, their maximum by default, and a slow copy of the weights.</source>
   <translation>RAdam 的两个 fp32 矩，默认还有其最大值，外加一份权重的慢速副本。</translation>
  </message>
  <message>
   <source>Random projections of the moments where a group has a rank; without one, AdamW.</source>
   <translation>参数组设有 rank 时，为矩的随机投影；未设时即为 AdamW。</translation>
  </message>
  <message>
   <source>Rank of the basis, as a part of the shorter side; 1 makes it square.</source>
   <translation>基的秩，以短边的比例表示；1 表示方阵。</translation>
  </message>
  <message>
   <source>Rank {rank} counts {weights_padding_bytes} of padding in the storage of its weights and {gradients_padding_bytes} in that of its gradients: FSDP2 makes every rank's part equally long; its optimizer state has none</source>
   <translation>rank {rank} 的权重存储中有 {weights_padding_bytes} 填充，梯度存储中有 {gradients_padding_bytes}：FSDP2 使每个 rank 的部分等长；其优化器状态没有填充</translation>
  </message>
  <message>
   <source>Rank {rank} is larger than the shorter side of {matrix_count} kind(s) of matrix, such as {shape}: random projectors are not cut, and the state is larger than Adam's there.</source>
   <translation>秩 {rank} 大于 {matrix_count} 种矩阵（例如 {shape}）的短边：随机投影矩阵不会截断，此处的状态比 Adam 还大。</translation>
  </message>
  <message>
   <source>Rank {rank} is larger than the shorter side of {matrix_count} kind(s) of matrix, such as {shape}: the library cuts it to that side, and nothing is saved there.</source>
   <translation>秩 {rank} 大于 {matrix_count} 种矩阵（例如 {shape}）的短边：该库会把秩截断到短边，此处没有任何节省。</translation>
  </message>
  <message>
   <source>Ranks</source>
   <translation>Rank</translation>
  </message>
  <message>
   <source>Readings of resident memory differ from system to system.</source>
   <translation>常驻内存的读数因系统而异。</translation>
  </message>
  <message>
   <source>Recipe</source>
   <translation>配方</translation>
  </message>
  <message>
   <source>Recorded peaks of Megatron-LM, which the rules were fitted to.</source>
   <translation>Megatron-LM 的峰值记录，规则据此拟合。</translation>
  </message>
  <message>
   <source>Reserved by the caching allocator</source>
   <translation>缓存分配器已保留</translation>
  </message>
  <message>
   <source>Reserved is a band: 14 recorded transformer runs with a backward held 0.1 to 5.8 % more than they had allocated. Convolutions on changing sizes can hold far more.</source>
   <translation>已保留是一个区间：14 次有记录的、含反向的 transformer 运行，其保留量比已分配量多 0.1 至 5.8 %。输入尺寸变化的卷积可能多得多。</translation>
  </message>
  <message>
   <source>Residual stream: the norms need their input for backward.</source>
   <translation>残差流：归一化层的反向需要其输入。</translation>
  </message>
  <message>
   <source>Rotary tables (cos and sin), shared by all layers.</source>
   <translation>旋转位置编码表（cos 与 sin），各层共用。</translation>
  </message>
  <message>
   <source>Rounds bf16 parameters by chance; takes more temporaries and no state.</source>
   <translation>对 bf16 参数做随机舍入；需要更多临时张量，不需要状态。</translation>
  </message>
  <message>
   <source>Row and column averages are fp32; off, they take the type of the gradient.</source>
   <translation>行平均与列平均为 fp32；关闭后与梯度的类型相同。</translation>
  </message>
  <message>
   <source>Row and column averages beside the full second moment.</source>
   <translation>除完整的二阶矩外，还有行平均与列平均。</translation>
  </message>
  <message>
   <source>Row and column averages in place of both moments.</source>
   <translation>以行平均与列平均代替两个矩。</translation>
  </message>
  <message>
   <source>Row and column averages in place of the second moment, where a tensor has rows and columns.</source>
   <translation>张量有行和列时，以行平均与列平均代替二阶矩。</translation>
  </message>
  <message>
   <source>Row and column averages of the projected gradient, in fp32.</source>
   <translation>投影后梯度的行平均与列平均，以 fp32 保存。</translation>
  </message>
  <message>
   <source>Row and column averages of the second moment and of its error, and a first moment in full size.</source>
   <translation>二阶矩及其误差的行平均与列平均，以及完整大小的一阶矩。</translation>
  </message>
  <message>
   <source>Row and column averages of the second moment, and a first moment in bf16.</source>
   <translation>二阶矩的行平均与列平均，以及 bf16 一阶矩。</translation>
  </message>
  <message>
   <source>Row and column averages of the second moment, in fp32, and no gradients between layers.</source>
   <translation>二阶矩的 fp32 行平均与列平均，且层与层之间不保留梯度。</translation>
  </message>
  <message>
   <source>Row and column averages of the second moment, no first moment.</source>
   <translation>二阶矩的行平均与列平均，没有一阶矩。</translation>
  </message>
  <message>
   <source>Rules of the CPU: for-loop optimizers, no workspace, no rounding to 512 B.</source>
   <translation>CPU 的规则：优化器使用 for 循环，没有工作区，不按 512 B 取整。</translation>
  </message>
  <message>
   <source>SGD with an averaged copy of the weights and three counters on the GPU.</source>
   <translation>带权重平均副本的 SGD，另有三个位于 GPU 的计数器。</translation>
  </message>
  <message>
   <source>SGD with momentum and one number a tensor.</source>
   <translation>带动量的 SGD，外加每个张量一个数。</translation>
  </message>
  <message>
   <source>Saved as {path}</source>
   <translation>已保存为 {path}</translation>
  </message>
  <message>
   <source>Saved by {rank_count} ranks in {file_count} files; sizes are those of the whole tensors.</source>
   <translation>由 {rank_count} 个 rank 保存为 {file_count} 个文件；大小均为完整张量的大小。</translation>
  </message>
  <message>
   <source>Scales the update like another optimizer, whose second moment is kept as well.</source>
   <translation>按另一个优化器缩放更新量，并同样保留其二阶矩。</translation>
  </message>
  <message>
   <source>Scales, zero points and code books of quantised weights are bookkeeping: neither parameters nor buffers.</source>
   <translation>量化权重的缩放因子、零点和码本只是辅助数据：既不是参数，也不是缓冲区。</translation>
  </message>
  <message>
   <source>Schedule-Free with a factored second moment and a sampled distance.</source>
   <translation>二阶矩分解、距离采样估计的 Schedule-Free。</translation>
  </message>
  <message>
   <source>Segments that PyTorch's caching allocator took from the driver and keeps for later: what torch.cuda.max_memory_reserved() shows.</source>
   <translation>PyTorch 的缓存分配器向驱动申请并留用的内存段：即 torch.cuda.max_memory_reserved() 所示。</translation>
  </message>
  <message>
   <source>Sequence parallel as DTensor and torchtitan lay it out: norms, residuals and dropout hold a part of the tokens, inputs of linear layers all of them.</source>
   <translation>按 DTensor 与 torchtitan 的方式做序列并行：归一化层、残差和 dropout 只保留一部分 token，线性层的输入保留全部 token。</translation>
  </message>
  <message>
   <source>Sequence: {given} is not a whole number; write tokens such as 2048 or 4096</source>
   <translation>序列长度：{given} 不是整数；请填写 2048 或 4096 这样的 token 数</translation>
  </message>
  <message>
   <source>Sequence: {given} is outside 1 to {limit_count}; write fewer tokens</source>
   <translation>序列长度：{given} 不在 1 到 {limit_count} 之间；请减少 token 数</translation>
  </message>
  <message>
   <source>Sequence: {sequence} tokens are more than the {positions} positions that the model has; shorten the sequence</source>
   <translation>序列长度：{sequence} 个 token 超过模型的 {positions} 个位置；请缩短序列</translation>
  </message>
  <message>
   <source>Set, a first moment in fp32 as large as the parameters is kept.</source>
   <translation>设置后，保留一个与参数同样大小的 fp32 一阶矩。</translation>
  </message>
  <message>
   <source>Set, gradients are added up in a copy as large as the parameters.</source>
   <translation>设置后，梯度累加在一份与参数同样大小的副本中。</translation>
  </message>
  <message>
   <source>Settings cannot be saved in {path}; this session works, nothing is remembered</source>
   <translation>无法在 {path} 保存设置；本次可正常使用，但不会记住任何设置</translation>
  </message>
  <message>
   <source>Several GPUs</source>
   <translation>多张 GPU</translation>
  </message>
  <message>
   <source>Sides longer than this have no preconditioner.</source>
   <translation>长于此值的边没有预条件矩阵。</translation>
  </message>
  <message>
   <source>Simulate: the worker crashed in {phase} ({signal}); update torch, the log has the detail</source>
   <translation>模拟：工作进程在{phase}阶段崩溃（{signal}）；请更新 torch，详情见日志</translation>
  </message>
  <message>
   <source>Simulate: the worker ended in {phase} with status {status} and no result; the log has the detail</source>
   <translation>模拟：工作进程在{phase}阶段以状态 {status} 退出，没有结果；详情见日志</translation>
  </message>
  <message>
   <source>Simulate: the worker was ended by {signal} in {phase}; the system probably ran out of memory, trace a smaller model</source>
   <translation>模拟：工作进程在{phase}阶段被 {signal} 结束；很可能是系统内存不足，请追踪较小的模型</translation>
  </message>
  <message>
   <source>Simulate: {given} is no torch version; give --torch as major.minor, such as 2.13</source>
   <translation>模拟：{given} 不是 torch 版本；请把 --torch 写成 major.minor，例如 2.13</translation>
  </message>
  <message>
   <source>Simulate: {operator} cannot be traced without a GPU at {place} ({cause}); the estimate stays, leave out what depends on the data</source>
   <translation>模拟：没有 GPU 无法追踪 {place} 处的 {operator}（{cause}）；估算不受影响，请去掉依赖数据的部分</translation>
  </message>
  <message>
   <source>Simulate: {option} and --function both say what to run; give one of them</source>
   <translation>模拟：{option} 与 --function 都指定了要运行的内容；请只给出其中一个</translation>
  </message>
  <message>
   <source>Simulate: {option} is about a GPU, and the target is the CPU; leave it out, or give --target cuda</source>
   <translation>模拟：{option} 只与 GPU 有关，而目标是 CPU；请去掉，或给出 --target cuda</translation>
  </message>
  <message>
   <source>Simulate: {path} is code and runs in a child process; add --yes to agree</source>
   <translation>模拟：{path} 是代码，将在子进程中运行；若同意，请加上 --yes</translation>
  </message>
  <message>
   <source>Simulate: {phase} of step {step} failed ({cause}); see the detail, or change what it names</source>
   <translation>模拟：第 {step} 步的{phase}阶段失败（{cause}）；请查看详情，或修改其中提到的内容</translation>
  </message>
  <message>
   <source>Simulate: {phase} said nothing for {seconds} s and was ended; trace a smaller model, or look for an endless loop in your function</source>
   <translation>模拟：{phase}阶段 {seconds} s 没有响应，已被结束；请追踪较小的模型，或检查您的函数中是否有死循环</translation>
  </message>
  <message>
   <source>Simulate: {place} failed ({cause}); correct it, or give a model that runs on meta tensors</source>
   <translation>模拟：{place} 失败（{cause}）；请更正，或给出能在 meta 张量上运行的模型</translation>
  </message>
  <message>
   <source>Simulate: {python} answered with something that is no simulation ({sample}); choose another Python in the settings</source>
   <translation>模拟：{python} 返回的不是模拟结果（{sample}）；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Simulate: {python} cannot be started ({cause}); choose another Python in the settings</source>
   <translation>模拟：无法启动 {python}（{cause}）；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>Simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>Simulation stopped in {phase}</source>
   <translation>模拟已停止，当时处于{phase}阶段</translation>
  </message>
  <message>
   <source>Size: {given} is no size; write a number with GiB, MiB, GB or MB, such as 5GiB</source>
   <translation>大小：{given} 不是大小；请填写带 GiB、MiB、GB 或 MB 的数，例如 5GiB</translation>
  </message>
  <message>
   <source>Sizes of CUDA's own kernels: not yet compared with a live GPU.</source>
   <translation>CUDA 自身内核所用的大小：尚未与真实的 GPU 对比。</translation>
  </message>
  <message>
   <source>Small tensors kept for backward.</source>
   <translation>为反向保留的小张量。</translation>
  </message>
  <message>
   <source>So many past gradients are kept, each as large as the parameters.</source>
   <translation>保留的历史梯度份数，各与参数同样大小。</translation>
  </message>
  <message>
   <source>Some layers look back {window_count} tokens at most: the mask for longer sequences, and the kernel that takes one, are not counted.</source>
   <translation>部分层最多回看 {window_count} 个 token：更长序列的掩码，以及接受掩码的内核，均未计入。</translation>
  </message>
  <message>
   <source>Some shapes are refused and no rule tells which ({cause})</source>
   <translation>某些形状会被拒绝，但没有规则能说明是哪些（{cause}）</translation>
  </message>
  <message>
   <source>Square matrices are decomposed one parameter after another; the largest takes about {total_bytes}, without the solver's own workspace</source>
   <translation>逐个参数分解方阵；最大的约占 {total_bytes}，不含求解器自身的工作区</translation>
  </message>
  <message>
   <source>Square or triangular preconditioners for each side of a tensor.</source>
   <translation>张量的每一侧有方阵或三角预条件矩阵。</translation>
  </message>
  <message>
   <source>State of tensors with 100,000 elements or more lies in managed memory, which the driver moves to the host when the GPU is full.</source>
   <translation>含 100,000 个及以上元素的张量，其状态位于统一内存中；GPU 占满时由驱动移到主机。</translation>
  </message>
  <message>
   <source>Steps traced operator by operator and replayed through the allocator: most within 1 %.</source>
   <translation>逐个算子追踪并经分配器重放的训练步：多数误差在 1 % 以内。</translation>
  </message>
  <message>
   <source>Tensor parallel as Megatron-LM and torchtitan split layers; norms are whole on every rank.</source>
   <translation>张量并行按 Megatron-LM 和 torchtitan 的方式切分各层；归一化层在每个 rank 上保持完整。</translation>
  </message>
  <message>
   <source>Tensors address {tensor_bytes} of {storage_bytes} of storage: some are slices of larger storages saved whole.</source>
   <translation>张量引用了 {storage_bytes} 存储中的 {tensor_bytes}：其中一些是切片，而所属的较大存储被整体保存。</translation>
  </message>
  <message>
   <source>Tensors that are alive, in blocks of the allocator: what torch.cuda.max_memory_allocated() shows.</source>
   <translation>存活的张量，按分配器的块计：即 torch.cuda.max_memory_allocated() 所示。</translation>
  </message>
  <message>
   <source>Tensors that are kept but not trained, such as BatchNorm statistics.</source>
   <translation>保留但不训练的张量，例如 BatchNorm 的统计量。</translation>
  </message>
  <message>
   <source>Tensors that autograd saves in real steps of transformers' layers: 0 bytes apart.</source>
   <translation>transformers 各层的真实训练步中 autograd 保存的张量：相差 0 字节。</translation>
  </message>
  <message>
   <source>Tensors that view the same elements count once, under their first name; slices of one storage count each.</source>
   <translation>引用相同元素的张量以第一个名称计一次；同一存储的切片各计一次。</translation>
  </message>
  <message>
   <source>Tensors with fewer elements keep fp32 state.</source>
   <translation>元素数少于此值的张量保留 fp32 状态。</translation>
  </message>
  <message>
   <source>Tensors with fewer elements, and their state, stay on the GPU.</source>
   <translation>元素数少于此值的张量及其状态留在 GPU 上。</translation>
  </message>
  <message>
   <source>The CPU allocator is asked for exactly what is needed.</source>
   <translation>CPU 分配器按实际所需申请，不多不少。</translation>
  </message>
  <message>
   <source>The CPU has no caching allocator: reserved is allocated.</source>
   <translation>CPU 没有缓存分配器：已保留等于已分配。</translation>
  </message>
  <message>
   <source>The CPU's fused kernel has no dropout: PyTorch falls back to separate operations.</source>
   <translation>CPU 的融合内核不支持 dropout：PyTorch 退回到分步运算。</translation>
  </message>
  <message>
   <source>The CUDA context is a band of 250 to 650 MiB; other processes on the GPU are not counted.</source>
   <translation>CUDA 上下文是 250 至 650 MiB 的区间；GPU 上的其他进程未计入。</translation>
  </message>
  <message>
   <source>The GPU no longer answers the driver; restart the computer</source>
   <translation>GPU 不再响应驱动；请重启电脑</translation>
  </message>
  <message>
   <source>The GPU no longer answers the driver; restart the computer before measuring again</source>
   <translation>GPU 不再响应驱动；请重启电脑后再测量</translation>
  </message>
  <message>
   <source>The GPU shares the system's memory (unified memory): what is shown is used by the whole system</source>
   <translation>GPU 与系统共享内存（统一内存）：显示的是整个系统的用量</translation>
  </message>
  <message>
   <source>The GPU waits for a reset; run nvidia-smi --gpu-reset as administrator, or restart the computer</source>
   <translation>GPU 正等待复位；请以管理员身份运行 nvidia-smi --gpu-reset，或重启电脑</translation>
  </message>
  <message>
   <source>The NVIDIA driver is not loaded; load it (modprobe nvidia) or restart the computer</source>
   <translation>NVIDIA 驱动未加载；请加载（modprobe nvidia），或重启电脑</translation>
  </message>
  <message>
   <source>The NVIDIA driver shows no GPU; give the container or virtual machine one, or measure on the CPU</source>
   <translation>NVIDIA 驱动没有显示任何 GPU；请为容器或虚拟机分配一个，或在 CPU 上测量</translation>
  </message>
  <message>
   <source>The NVIDIA driver was updated and no longer matches the running one; restart the computer</source>
   <translation>NVIDIA 驱动已更新，与正在运行的版本不一致；请重启电脑</translation>
  </message>
  <message>
   <source>The adapter also holds whole modules ({names}), which are trained in full.</source>
   <translation>适配器还含有完整训练的模块（{names}）。</translation>
  </message>
  <message>
   <source>The averaged copy (EMA) stands for the model; its own weights are left out.</source>
   <translation>以平均副本 (EMA) 代表模型；模型自身的权重不计入。</translation>
  </message>
  <message>
   <source>The base is frozen and only the adapters are trained, but forward and backward need all of it.</source>
   <translation>基座已冻结，只训练适配器，但前向和反向仍需要整个基座。</translation>
  </message>
  <message>
   <source>The base model {base} is frozen, the adapter of {count} parameters is trained.</source>
   <translation>基座模型 {base} 已冻结，训练的是 {count} 个参数的适配器。</translation>
  </message>
  <message>
   <source>The buckets of DDP, which the optimizer is used with.</source>
   <translation>DDP 的桶，该优化器与 DDP 一起使用。</translation>
  </message>
  <message>
   <source>The buffer is kept at momentum 0 as well.</source>
   <translation>动量为 0 时也保留缓冲区。</translation>
  </message>
  <message>
   <source>The chunks of {count} tensors do not add up to them (the first is {name}); their shapes count.</source>
   <translation>{count} 个张量的各块合不成完整张量（第一个是 {name}）；以其形状为准。</translation>
  </message>
  <message>
   <source>The closed form does not count this for a model whose architecture it does not know</source>
   <translation>对于结构未知的模型，闭式公式不计此项</translation>
  </message>
  <message>
   <source>The config of {family} has several parts; only its language model is described here.</source>
   <translation>{family} 的配置包含多个部分；这里只描述其语言模型。</translation>
  </message>
  <message>
   <source>The cuBLAS workspace exists on GPUs only.</source>
   <translation>cuBLAS 工作区只存在于 GPU 上。</translation>
  </message>
  <message>
   <source>The data of {count} data sets are not in this file (the first, {name}, has them in another file); they count by their shapes.</source>
   <translation>{count} 个数据集的数据不在此文件中（第一个是 {name}，其数据在另一文件中）；按其形状计入。</translation>
  </message>
  <message>
   <source>The data of {count} data sets are not in this file (the first, {name}, is a view of others); they count by their shapes.</source>
   <translation>{count} 个数据集的数据不在此文件中（第一个是 {name}，它是其他数据集的视图）；按其形状计入。</translation>
  </message>
  <message>
   <source>The data of {count} data sets are not in this file (those of the first, {name}, are cut off); they count by their shapes.</source>
   <translation>{count} 个数据集的数据不在此文件中（第一个是 {name}，其数据被截断）；按其形状计入。</translation>
  </message>
  <message>
   <source>The data of {count} data sets are not in this file (those of the first, {name}, were never written); they count by their shapes.</source>
   <translation>{count} 个数据集的数据不在此文件中（第一个是 {name}，其数据从未写入）；按其形状计入。</translation>
  </message>
  <message>
   <source>The distance is estimated from every n-th element only: two states shrink n times.</source>
   <translation>只用每隔 n 个元素中的一个来估计距离：两份状态缩小为 1/n。</translation>
  </message>
  <message>
   <source>The driver answered with an error ({cause}); try again, or restart the computer</source>
   <translation>驱动返回错误（{cause}）；请重试，或重启电脑</translation>
  </message>
  <message>
   <source>The driver gives no such figure for this GPU; torch's own figures remain</source>
   <translation>驱动不为此 GPU 提供该数据；torch 自身的数据仍然可用</translation>
  </message>
  <message>
   <source>The driver is too old for this figure; update it</source>
   <translation>驱动太旧，无法提供该数据；请更新驱动</translation>
  </message>
  <message>
   <source>The driver knows no GPU {uuid}; choose another device</source>
   <translation>驱动找不到 GPU {uuid}；请选择其他设备</translation>
  </message>
  <message>
   <source>The driver refuses figures to this user; ask the administrator, torch's own figures remain</source>
   <translation>驱动拒绝向当前用户提供数据；请联系管理员，torch 自身的数据仍然可用</translation>
  </message>
  <message>
   <source>The driver's session was ended from outside; measure again</source>
   <translation>驱动会话已从外部结束；请重新测量</translation>
  </message>
  <message>
   <source>The ends of blocks: {rounding_bytes}, which the estimate lists as rounding</source>
   <translation>内存块末尾：{rounding_bytes}，估算中列为对齐填充</translation>
  </message>
  <message>
   <source>The estimate sees the peak in {estimated}, the trace in {simulated}</source>
   <translation>估算的峰值处于{estimated}阶段，追踪的峰值处于{simulated}阶段</translation>
  </message>
  <message>
   <source>The family {family} has exact weights but no rules for activations here: they are not counted.</source>
   <translation>{family} 系列的权重是精确的，但这里没有其激活值的规则：未计入。</translation>
  </message>
  <message>
   <source>The family {family} has no rules for activations here: they are not counted.</source>
   <translation>这里没有 {family} 系列的激活值规则：未计入。</translation>
  </message>
  <message>
   <source>The file declares {declared_count} parameters; its headers hold {count}, which is what counts.</source>
   <translation>文件声明有 {declared_count} 个参数；文件头中有 {count} 个，以后者为准。</translation>
  </message>
  <message>
   <source>The file's own {field} is missing or impossible: its dimensions are not known, activations are not counted.</source>
   <translation>文件自身的 {field} 缺失或不可能成立：其尺寸未知，激活值未计入。</translation>
  </message>
  <message>
   <source>The for-loop (also on CUDA by default) rebuilds the variance of one parameter in full size beside that of the one before it, at most {total_bytes}</source>
   <translation>for 循环（在 CUDA 上也是默认）逐个参数以完整大小重建方差，同时上一个参数的方差仍在，最多 {total_bytes}</translation>
  </message>
  <message>
   <source>The for-loop handles one parameter at a time: {current} tensor(s) of its size, and {previous} of the one before it that Python still holds, at most {total_bytes}</source>
   <translation>for 循环一次处理一个参数：{current} 个与其同样大小的张量，加上 Python 仍持有的上一个参数的 {previous} 个，最多 {total_bytes}</translation>
  </message>
  <message>
   <source>The for-loop makes one more tensor of the parameter's size.</source>
   <translation>for 循环会多生成一个与参数同样大小的张量。</translation>
  </message>
  <message>
   <source>The for-loop updates one parameter after another in place.</source>
   <translation>for 循环逐个参数原地更新。</translation>
  </message>
  <message>
   <source>The foreach variant keeps a third copy: the initial weights are stored even where regen_reg_rate is 0.</source>
   <translation>foreach 变体保留第三份副本：即使 regen_reg_rate 为 0，也会保存初始权重。</translation>
  </message>
  <message>
   <source>The fused kernel updates in place: nothing beside the state.</source>
   <translation>融合内核原地更新：除状态外没有额外占用。</translation>
  </message>
  <message>
   <source>The fused loss makes the gradients of the hidden states and of the head in forward and keeps those.</source>
   <translation>融合损失在前向中就算出隐藏状态与输出头的梯度，并保留它们。</translation>
  </message>
  <message>
   <source>The index promises {promised_bytes} in all, an estimated {estimate_count} parameters if each takes 2 bytes.</source>
   <translation>索引声明共 {promised_bytes}，若每个参数占 2 字节，估计为 {estimate_count} 个参数。</translation>
  </message>
  <message>
   <source>The largest part at the peak is what {op} made: {part_bytes}</source>
   <translation>峰值时最大的部分由 {op} 生成：{part_bytes}</translation>
  </message>
  <message>
   <source>The learning rate is a schedule: it counts its steps, or takes the place of a variable.</source>
   <translation>学习率采用调度：它为步数计数，或取代一个变量。</translation>
  </message>
  <message>
   <source>The learning rate is a tensor: Adam's automatic choice becomes the for-loop unless capturable.</source>
   <translation>学习率是张量：除非启用 capturable，Adam 的自动选择会变为 for 循环。</translation>
  </message>
  <message>
   <source>The loss and its weight, single numbers.</source>
   <translation>损失及其权重，都是单个数。</translation>
  </message>
  <message>
   <source>The main model of {family} is counted; its multi-token-prediction module, {count} more, is not.</source>
   <translation>已计入 {family} 的主模型；其多 token 预测模块另有 {count} 个参数，未计入。</translation>
  </message>
  <message>
   <source>The mask as numbers, one matrix a sequence: kernels that take a mask make it in every layer.</source>
   <translation>数值形式的掩码，每个序列一个矩阵：接受掩码的内核在每一层都会生成它。</translation>
  </message>
  <message>
   <source>The model was compiled: what compiled kernels keep and use beside is not predicted</source>
   <translation>模型经过编译：编译生成的内核保留和额外占用的内存不在预测之内</translation>
  </message>
  <message>
   <source>The model's architecture is not known, so activations cannot be predicted. They come on top.</source>
   <translation>模型结构未知，因此无法预测激活值。它们需要另外加上。</translation>
  </message>
  <message>
   <source>The momentum is not gone: it lives in the gradients, which must then be kept between steps (no zero_grad).</source>
   <translation>动量并没有消失：它存放在梯度中，因此步与步之间必须保留梯度（不能调用 zero_grad）。</translation>
  </message>
  <message>
   <source>The momentum slot is allocated even where momentum is 0: 8 bytes a parameter in fp32.</source>
   <translation>即使动量为 0 也会分配动量 slot：fp32 时每参数 8 字节。</translation>
  </message>
  <message>
   <source>The name does not make it 8-bit: without optim_bits=8 it keeps 8 bytes a parameter in fp32, twice torch's with 16-bit parameters.</source>
   <translation>名称并不代表它是 8 位：不设 optim_bits=8 时，每参数以 fp32 保存 8 字节，参数为 16 位时是 torch 的两倍。</translation>
  </message>
  <message>
   <source>The negated gradient is a copy in the step.</source>
   <translation>取负的梯度是更新时的一份副本。</translation>
  </message>
  <message>
   <source>The optimizer has state for {held_count} parameters, the model in the file can train {count}: some were frozen, or one of the two is another model's.</source>
   <translation>优化器保存了 {held_count} 个参数的状态，而文件中的模型可训练 {count} 个：有些参数曾被冻结，或两者并非来自同一模型。</translation>
  </message>
  <message>
   <source>The optimizer reads gradients and state and writes weights. Activations are gone by then.</source>
   <translation>优化器读取梯度和状态，写入权重。此时激活值已不存在。</translation>
  </message>
  <message>
   <source>The optimizer updates this fp32 copy; the 16-bit weights are written from it after each step.</source>
   <translation>优化器更新这份 fp32 副本；每次更新后再由它写回 16 位权重。</translation>
  </message>
  <message>
   <source>The optimizer was saved by {total_count} ranks, files of {count} are here: its sizes are partial.</source>
   <translation>优化器由 {total_count} 个 rank 保存，这里有 {count} 个的文件：其大小不完整。</translation>
  </message>
  <message>
   <source>The optimizer's state still grew by {grown_bytes} in step {steps}, the last one: this is not the steady state yet; measure more steps</source>
   <translation>最后一步（第 {steps} 步）中优化器状态仍增长了 {grown_bytes}：尚未达到稳态；请增加测量步数</translation>
  </message>
  <message>
   <source>The order of the phases is true, their widths are not</source>
   <translation>各阶段的次序属实，宽度只是示意</translation>
  </message>
  <message>
   <source>The peak of a rank, with what it holds to talk to others: not yet compared with a run.</source>
   <translation>rank 的峰值，含其与其他 rank 通信所占用的内存：尚未与实际运行对比。</translation>
  </message>
  <message>
   <source>The peak of real steps of small transformers on the CPU, from torch's own allocation events.</source>
   <translation>小型 Transformer 在 CPU 上真实训练步的峰值，取自 torch 自身的分配事件。</translation>
  </message>
  <message>
   <source>The previous gradient and a step size for every parameter.</source>
   <translation>每个参数保存上一步的梯度和各自的步长。</translation>
  </message>
  <message>
   <source>The program is closing; nothing is simulated any more</source>
   <translation>程序正在关闭；不再进行模拟</translation>
  </message>
  <message>
   <source>The projector saves nothing: moments stay in full size and the projector comes on top.</source>
   <translation>投影矩阵不节省任何内存：矩仍为完整大小，还要再加上投影矩阵。</translation>
  </message>
  <message>
   <source>The projectors are slices of fp32 singular vectors that keep the whole factor alive: as large as the smaller side squared, or as the matrix.</source>
   <translation>投影矩阵是 fp32 奇异向量的切片，会使整个因子一直存活：大小为短边的平方，或与矩阵相同。</translation>
  </message>
  <message>
   <source>The rules were read in the source of {library}; no real state stood beside them yet.</source>
   <translation>规则取自 {library} 的源码；尚未与真实状态对比。</translation>
  </message>
  <message>
   <source>The saving needs 16-bit gradients: with fp32 ones each projector is a view that keeps all singular vectors, so a square matrix costs 4 bytes a parameter at any rank. Embedding and head are not projected and keep both moments.</source>
   <translation>要有节省，梯度须为 16 位：梯度为 fp32 时，每个投影矩阵都是保留全部奇异向量的视图，因此方阵无论秩为多少都要每参数 4 字节。嵌入层和输出头不投影，保留两个矩。</translation>
  </message>
  <message>
   <source>The second moment cannot be factored then.</source>
   <translation>此时二阶矩无法分解。</translation>
  </message>
  <message>
   <source>The second moment is kept as row and column averages where a tensor is large enough.</source>
   <translation>张量足够大时，二阶矩以行平均与列平均保存。</translation>
  </message>
  <message>
   <source>The sequence of {tokens} tokens is longer than the {most} positions of the model: training on it stops with an error.</source>
   <translation>{tokens} 个 token 的序列超过模型的 {most} 个位置：用它训练会报错中止。</translation>
  </message>
  <message>
   <source>The settings file could not be read and was set aside as {path}; defaults are used</source>
   <translation>无法读取设置文件，已另存为 {path}；现使用默认设置</translation>
  </message>
  <message>
   <source>The side that is projected: std takes the longer way, which keeps the moments small.</source>
   <translation>投影的方向：std 取使矩保持较小的较长一侧。</translation>
  </message>
  <message>
   <source>The sign of the last gradients and a step size for every parameter.</source>
   <translation>每个参数保存上一次梯度的符号和各自的步长。</translation>
  </message>
  <message>
   <source>The sizes equal those in public CUDA memory snapshots.</source>
   <translation>大小与公开的 CUDA 显存快照中的相等。</translation>
  </message>
  <message>
   <source>The sizes of the {kernel} kernel's tensors are not yet compared with a GPU.</source>
   <translation>{kernel} 内核的张量大小尚未与 GPU 对比。</translation>
  </message>
  <message>
   <source>The state costs no GPU memory, and more of the host than the state: a pinned copy of every weight and gradient comes with it.</source>
   <translation>状态不占显存，但主机内存不止状态本身：还有每份权重和梯度的锁页副本。</translation>
  </message>
  <message>
   <source>The step works in place.</source>
   <translation>原地更新。</translation>
  </message>
  <message>
   <source>The strong-Wolfe search also holds a copy of the parameters and several gradients.</source>
   <translation>strong-Wolfe 线搜索还会持有一份参数副本和若干梯度。</translation>
  </message>
  <message>
   <source>The system blocks the driver's answer (a container without the device, or a security policy); start the container with --gpus all</source>
   <translation>系统阻止了驱动的响应（容器没有该设备，或受安全策略限制）；请以 --gpus all 启动容器</translation>
  </message>
  <message>
   <source>The textbook form: z, x and y are all stored.</source>
   <translation>教科书形式：z、x 和 y 都要保存。</translation>
  </message>
  <message>
   <source>The textbook form: z, x and y are stored beside the second moment.</source>
   <translation>教科书形式：除二阶矩外，还保存 z、x 和 y。</translation>
  </message>
  <message>
   <source>The weights are partitioned (ZeRO-3); the shapes of {count} parameters come from param_shapes.</source>
   <translation>权重已分区 (ZeRO-3)；{count} 个参数的形状来自 param_shapes。</translation>
  </message>
  <message>
   <source>The {count} weights are empty: they are partitioned (ZeRO-3). Gather them, or use the optim_states files.</source>
   <translation>{count} 个权重为空：它们已分区 (ZeRO-3)。请先汇集，或使用 optim_states 文件。</translation>
  </message>
  <message>
   <source>The {kernel} kernel was chosen by hand.</source>
   <translation>手动选择了 {kernel} 内核。</translation>
  </message>
  <message>
   <source>There is no measurement {given}; `optmem results` lists those that are kept</source>
   <translation>没有测量结果 {given}；`optmem results` 可列出已保存的结果</translation>
  </message>
  <message>
   <source>This did not fit: {reserved_bytes} was held on a GPU of {total_bytes}, the driver moved the rest to host memory; it runs, but slowly</source>
   <translation>装不下：在 {total_bytes} 的 GPU 上占用了 {reserved_bytes}，驱动把其余部分移到了主机内存；可以运行，但很慢</translation>
  </message>
  <message>
   <source>This family always makes a mask, which flash does not take: PyTorch picks the memory-efficient kernel.</source>
   <translation>此系列总会生成掩码，而 flash 不支持掩码：PyTorch 选用内存高效内核。</translation>
  </message>
  <message>
   <source>This is 1 of {rank_count} tensor or pipeline parallel parts: shapes and counts are those of this part.</source>
   <translation>这是 {rank_count} 个张量并行或流水线并行部分之一：形状和数量均为此部分的。</translation>
  </message>
  <message>
   <source>This precision scheme does not run in torch alone; no run stood beside it yet.</source>
   <translation>此精度方案无法只靠 torch 运行；尚未与实际运行对比。</translation>
  </message>
  <message>
   <source>This run needs about {needed_bytes} and {free_bytes} is free; no model of this shape fits, free some memory first</source>
   <translation>此次运行约需 {needed_bytes}，而空闲 {free_bytes}；这种结构的模型都装不下，请先释放一些内存</translation>
  </message>
  <message>
   <source>This run needs about {needed_bytes} and {free_bytes} is free; {count} parameters of the same shape would fit</source>
   <translation>此次运行约需 {needed_bytes}，而空闲 {free_bytes}；同样结构的 {count} 个参数可以装下</translation>
  </message>
  <message>
   <source>Three buffers as large as the parameters with momentum, nothing without.</source>
   <translation>用动量时有三个与参数同样大小的缓冲区，不用时没有。</translation>
  </message>
  <message>
   <source>Three copies also at momentum 0, in the type of the parameter.</source>
   <translation>动量为 0 时也有三份副本，类型与参数相同。</translation>
  </message>
  <message>
   <source>Three moments and the previous gradient, each as large as the parameters.</source>
   <translation>三个矩和上一步的梯度，各与参数同样大小。</translation>
  </message>
  <message>
   <source>Token ids and labels, 8 bytes each; the embedding and the loss keep them.</source>
   <translation>token id 与标签，各 8 字节；由嵌入层和损失保留。</translation>
  </message>
  <message>
   <source>Tokens copied once for each expert that they visit, sorted by expert.</source>
   <translation>每个 token 按其进入的专家各复制一份，并按专家排序。</translation>
  </message>
  <message>
   <source>Torque-aware momentum: two states as large as the parameters.</source>
   <translation>力矩感知动量：两份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Training</source>
   <translation>训练</translation>
  </message>
  <message>
   <source>TransformerEngine on bf16 weights: each matrix also keeps an fp8 copy and its transpose through the step. fp8 makes the products faster, not the model states smaller.</source>
   <translation>bf16 权重上的 TransformerEngine：每个矩阵在整个训练步中还保留 fp8 副本及其转置。fp8 让矩阵乘更快，并不会缩小模型状态。</translation>
  </message>
  <message>
   <source>TransformerEngine on fp32 weights: fp8 copies and transposes are kept beside them.</source>
   <translation>fp32 权重上的 TransformerEngine：旁边还保留 fp8 副本与转置。</translation>
  </message>
  <message>
   <source>TransformerEngine, fp8_autocast: fp8 copies beside the high-precision weights</source>
   <translation>TransformerEngine，fp8_autocast：高精度权重之外另有 fp8 副本</translation>
  </message>
  <message>
   <source>Triton kernels update in place. Automatic on a GPU; false makes it a for-loop.</source>
   <translation>由 Triton 内核原地更新。在 GPU 上自动启用；设为 false 则使用 for 循环。</translation>
  </message>
  <message>
   <source>Twice Adam's state by default: slice_p=11 brings it near Adam's. A parameter that starts at zero stores no initial weights.</source>
   <translation>默认状态是 Adam 的两倍：slice_p=11 可使其接近 Adam。初值为零的参数不保存初始权重。</translation>
  </message>
  <message>
   <source>Two averages in storage_dtype, and a second sequence of weights.</source>
   <translation>两份 storage_dtype 类型的滑动平均，以及第二个权重序列。</translation>
  </message>
  <message>
   <source>Two first moments in turn and a second one: four states as large as the parameters by default.</source>
   <translation>轮流使用的两个一阶矩和一个二阶矩：默认有四份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Two full moments and a projector as wide as the smaller side of each matrix.</source>
   <translation>两个完整的矩，以及与每个矩阵短边同宽的投影矩阵。</translation>
  </message>
  <message>
   <source>Two gathered layers and what lies outside the layers; in backward a layer's gradients before and after they are laid end to end.</source>
   <translation>聚集的两层，以及层以外的部分；反向时还有一层的梯度，首尾相接之前和之后各一份。</translation>
  </message>
  <message>
   <source>Two histories and three vectors, all as large as the parameters.</source>
   <translation>两份历史和三个向量，均与参数同样大小。</translation>
  </message>
  <message>
   <source>Two moments and a copy of the initial weights.</source>
   <translation>两个矩和一份初始权重的副本。</translation>
  </message>
  <message>
   <source>Two moments and an approximation of the Fisher matrix: three states as large as the parameters.</source>
   <translation>两个矩和 Fisher 矩阵的一个近似：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Two moments and the previous gradient.</source>
   <translation>两个矩和上一步的梯度。</translation>
  </message>
  <message>
   <source>Two moments in fp32, whatever the type of the parameter.</source>
   <translation>两个 fp32 矩，与参数的类型无关。</translation>
  </message>
  <message>
   <source>Two moments in the type of the parameter.</source>
   <translation>两个矩，类型与参数相同。</translation>
  </message>
  <message>
   <source>Two moments in the type of the parameter; amsgrad=true (AMSGrad) keeps a third.</source>
   <translation>两个矩，类型与参数相同；amsgrad=true（AMSGrad）再保留第三个。</translation>
  </message>
  <message>
   <source>Two moments, and a mask of one byte an element for each matrix.</source>
   <translation>两个矩，外加每个矩阵一份每元素一字节的掩码。</translation>
  </message>
  <message>
   <source>Two moments, and a queue of past gradients.</source>
   <translation>两个矩，外加一个历史梯度队列。</translation>
  </message>
  <message>
   <source>Two moments, and the preconditioners and eigenbases of each side of a tensor.</source>
   <translation>两个矩，外加张量每一侧的预条件矩阵与特征基。</translation>
  </message>
  <message>
   <source>Two moments, each as large as the parameters.</source>
   <translation>两个矩，各与参数同样大小。</translation>
  </message>
  <message>
   <source>Two moments; once it has switched from Adam to SGD, a momentum buffer too.</source>
   <translation>两个矩；从 Adam 切换到 SGD 之后，还有一个动量缓冲区。</translation>
  </message>
  <message>
   <source>Two momentum buffers in turn.</source>
   <translation>轮流使用的两个动量缓冲区。</translation>
  </message>
  <message>
   <source>Two running averages as large as the parameters.</source>
   <translation>两份与参数同样大小的滑动平均。</translation>
  </message>
  <message>
   <source>Two slots, a third one if centered.</source>
   <translation>两个 slot，centered 时有第三个。</translation>
  </message>
  <message>
   <source>Two sums as large as the parameters.</source>
   <translation>两份与参数同样大小的累加和。</translation>
  </message>
  <message>
   <source>Type of the first moment; left alone, that of the parameter.</source>
   <translation>一阶矩的类型；不设置则与参数相同。</translation>
  </message>
  <message>
   <source>Type of the momentum, whatever that of the parameter.</source>
   <translation>动量的类型，与参数的类型无关。</translation>
  </message>
  <message>
   <source>Type of the momentum; left alone, fp32 whatever the parameter.</source>
   <translation>动量的类型；不设置则无论参数是何类型均为 fp32。</translation>
  </message>
  <message>
   <source>Type of the momentum; left alone, that of the parameter.</source>
   <translation>动量的类型；不设置则与参数相同。</translation>
  </message>
  <message>
   <source>Type of the state, whatever that of the parameters.</source>
   <translation>状态的类型，与参数的类型无关。</translation>
  </message>
  <message>
   <source>Type of z; left alone, that of the parameter.</source>
   <translation>z 的类型；不设置则与参数相同。</translation>
  </message>
  <message>
   <source>Unknown block types (number {numbers}): their elements are counted, their bytes follow from the next tensor.</source>
   <translation>未知的块类型（编号 {numbers}）：元素已计数，字节数由下一个张量的位置推出。</translation>
  </message>
  <message>
   <source>Unknown element types ({names}): counted by shape, bytes from the storage.</source>
   <translation>未知的元素类型（{names}）：数量按形状计，字节按存储计。</translation>
  </message>
  <message>
   <source>Up to seven tensors of the rows that a batch touches; if it touches every row, {total_bytes}</source>
   <translation>最多七个张量，大小为批次所涉及的行；若涉及所有行，则为 {total_bytes}</translation>
  </message>
  <message>
   <source>Updates scaled tensor by tensor to the norm of its weights.</source>
   <translation>按每个张量的权重范数缩放其更新量。</translation>
  </message>
  <message>
   <source>Values have other heads than queries and keys: flash does not take them, and PyTorch picks the memory-efficient kernel.</source>
   <translation>值的头维度与查询和键不同：flash 不支持，PyTorch 选用内存高效内核。</translation>
  </message>
  <message>
   <source>Values have other heads than queries and keys: the CPU's fused kernel does not take them.</source>
   <translation>值的头维度与查询和键不同：CPU 的融合内核不支持。</translation>
  </message>
  <message>
   <source>Variational SGD: three states as large as the parameters.</source>
   <translation>变分 SGD：三份与参数同样大小的状态。</translation>
  </message>
  <message>
   <source>Vectors get a square matrix too.</source>
   <translation>向量也有一个方阵。</translation>
  </message>
  <message>
   <source>Warnings</source>
   <translation>警告</translation>
  </message>
  <message>
   <source>Weights loaded in bf16 and trained under autocast: what HF Trainer does with a bf16 folder.</source>
   <translation>以 bf16 加载权重并在 autocast 下训练：HF Trainer 对 bf16 模型文件夹就是这样做的。</translation>
  </message>
  <message>
   <source>Weights of real steps on the CPU, and published counts: 0 bytes apart.</source>
   <translation>CPU 上真实训练步的权重，以及公开的数值：相差 0 字节。</translation>
  </message>
  <message>
   <source>What backward needs again is kept from forward on. The largest moment is usually at the loss, where logits of the whole vocabulary exist.</source>
   <translation>反向还要用到的内容，从前向起一直保留。最大的时刻通常在损失处，那里有整个词表的 logits。</translation>
  </message>
  <message>
   <source>What each visited expert gives for a token, before the shares are applied.</source>
   <translation>每个被选中的专家对 token 的输出，尚未乘以份额。</translation>
  </message>
  <message>
   <source>What nvidia-smi shows for this process. This is what has to fit into the GPU.</source>
   <translation>nvidia-smi 对此进程显示的数值。必须装进 GPU 的就是它。</translation>
  </message>
  <message>
   <source>What quantized layers keep was compared with bitsandbytes on the CPU, not yet on a GPU.</source>
   <translation>量化层保留的内容已在 CPU 上与 bitsandbytes 对比，尚未在 GPU 上对比。</translation>
  </message>
  <message>
   <source>What ranks send each other while layers run follows the engines' sources; not yet compared with a GPU.</source>
   <translation>层运行期间各 rank 互相发送的内容依据各引擎的源码；尚未与真实的 GPU 对比。</translation>
  </message>
  <message>
   <source>What runs Keras: the slots are the same, counters are 64-bit in TensorFlow.</source>
   <translation>运行 Keras 的后端：各 slot 相同，但计数器在 TensorFlow 中为 64 位。</translation>
  </message>
  <message>
   <source>What stands once model and optimizer are made, before the first step. Most optimizers make their state only in the first step.</source>
   <translation>模型和优化器创建之后、第一步之前已存在的内容。多数优化器在第一步才创建状态。</translation>
  </message>
  <message>
   <source>What stays from step to step: weights, state, and gradients only where they are zeroed in place of freed.</source>
   <translation>从一步留到下一步的内容：权重、状态；梯度只有在清零而不释放时才留下。</translation>
  </message>
  <message>
   <source>What the system shows for the process, resident in main memory.</source>
   <translation>系统对此进程显示的数值，即常驻主内存的部分。</translation>
  </message>
  <message>
   <source>Which experts each token visits and with what share: the router's probabilities and indices.</source>
   <translation>每个 token 进入哪些专家、各占多少份额：路由器的概率与索引。</translation>
  </message>
  <message>
   <source>Which kernel takes the mask depends on the GPU and its heads; the memory-efficient one is counted.</source>
   <translation>由哪个内核接受掩码取决于 GPU 和头维度；按内存高效内核计算。</translation>
  </message>
  <message>
   <source>Which tensors the first half trains: hidden matrices (no embedding, no head), or every matrix. The rest gets AdamW.</source>
   <translation>前一部分训练哪些张量：隐藏层矩阵（不含嵌入层和输出头），或全部矩阵。其余使用 AdamW。</translation>
  </message>
  <message>
   <source>Who trains the second half: AdamW keeps two moments there, Lion one.</source>
   <translation>后一部分由谁训练：AdamW 在此保留两个矩，Lion 保留一个。</translation>
  </message>
  <message>
   <source>Width of the model. With the heads it says how many elements of queries and keys share one number.</source>
   <translation>模型宽度。与头数一起决定查询和键中多少个元素共用一个数。</translation>
  </message>
  <message>
   <source>With 16-bit parameters it is larger than AdamW: Kahan summation, on by default, keeps one more state. With fp16, the second moment is fp32.</source>
   <translation>参数为 16 位时比 AdamW 更大：默认启用的 Kahan 求和会多保留一份状态。参数为 fp16 时，二阶矩为 fp32。</translation>
  </message>
  <message>
   <source>With accumulation, gradients stay alive while the next micro-batch runs forward: activations come on top of them.</source>
   <translation>使用梯度累积时，下一个微批次前向期间梯度仍然存活：激活值叠加在其上。</translation>
  </message>
  <message>
   <source>With heads of two sizes cuDNN may run on newer GPUs; the memory-efficient kernel is counted.</source>
   <translation>头维度有两种时，较新的 GPU 上可能改用 cuDNN；按内存高效内核计算。</translation>
  </message>
  <message>
   <source>Your own entry, its rules found by probing.</source>
   <translation>您自己添加的条目，其规则由探测得出。</translation>
  </message>
  <message>
   <source>ZeRO paper, arXiv 1910.02054, section 3.1: 2 + 2 + 12 bytes a parameter; apex O2 and DeepSpeed</source>
   <translation>ZeRO 论文，arXiv 1910.02054，第 3.1 节：每参数 2 + 2 + 12 字节；apex O2 与 DeepSpeed</translation>
  </message>
  <message>
   <source>ZeRO paper, arXiv 1910.02054; DeepSpeed, runtime/zero/stage3.py</source>
   <translation>ZeRO 论文，arXiv 1910.02054；DeepSpeed，runtime/zero/stage3.py</translation>
  </message>
  <message>
   <source>ZeRO paper, arXiv 1910.02054; DeepSpeed, runtime/zero/stage_1_and_2.py</source>
   <translation>ZeRO 论文，arXiv 1910.02054；DeepSpeed，runtime/zero/stage_1_and_2.py</translation>
  </message>
  <message>
   <source>ZeRO-1 (DeepSpeed): master weights and optimizer state are cut into equal parts of one flat vector.</source>
   <translation>ZeRO-1 (DeepSpeed)：主权重与优化器状态拼成一个扁平向量，再等分给各 rank。</translation>
  </message>
  <message>
   <source>ZeRO-2 (DeepSpeed): as ZeRO-1, and every rank keeps the gradients of its part only.</source>
   <translation>ZeRO-2 (DeepSpeed)：与 ZeRO-1 相同，且每个 rank 只保留自己那部分的梯度。</translation>
  </message>
  <message>
   <source>ZeRO-3 (DeepSpeed): weights are cut up as well and gathered while they are used.</source>
   <translation>ZeRO-3 (DeepSpeed)：权重也被切分，使用时再聚集。</translation>
  </message>
  <message>
   <source>ZeroRedundancyOptimizer: whole parameters are dealt out, the largest first; weights and gradients stay whole on every rank.</source>
   <translation>ZeroRedundancyOptimizer：按整个参数分配，先分最大的；每个 rank 上权重和梯度仍是完整的。</translation>
  </message>
  <message>
   <source>a lower precision: updates round more, check the loss curve</source>
   <translation>降低精度：更新的舍入更多，请查看损失曲线</translation>
  </message>
  <message>
   <source>a name is needed, to tell it from others</source>
   <translation>需要一个名称，以便与其他项区分</translation>
  </message>
  <message>
   <source>accumulate {value}</source>
   <translation>梯度累积 {value}</translation>
  </message>
  <message>
   <source>activations and logits</source>
   <translation>激活值与 logits</translation>
  </message>
  <message>
   <source>activations of other micro-batches that wait in this stage of the pipeline</source>
   <translation>在这一流水线级等待的其他微批次的激活值</translation>
  </message>
  <message>
   <source>adamuon keeps a second moment of the orthogonalized matrices too.</source>
   <translation>adamuon 还为正交化的矩阵保留二阶矩。</translation>
  </message>
  <message>
   <source>adapters: {count} parameters in {dtype}, {bytes}</source>
   <translation>适配器：{count} 个参数，{dtype}，{bytes}</translation>
  </message>
  <message>
   <source>allocated at the peak</source>
   <translation>峰值时已分配</translation>
  </message>
  <message>
   <source>allocated, in whole segments, and what stays of segments that are only partly used</source>
   <translation>已分配的内存所在的完整内存段，以及只用了一部分的段的剩余</translation>
  </message>
  <message>
   <source>any optimizer but Adam, and any precision but 16-bit with fp32 master weights</source>
   <translation>Adam 以外的任何优化器，以及“16 位加 fp32 主权重”以外的任何精度</translation>
  </message>
  <message>
   <source>as entered</source>
   <translation>按所填写</translation>
  </message>
  <message>
   <source>at peak</source>
   <translation>峰值时</translation>
  </message>
  <message>
   <source>at peak, bytes</source>
   <translation>峰值时，字节</translation>
  </message>
  <message>
   <source>aten/src/ATen/autocast_mode.cpp, torch 2.13: casts of leaf weights are cached</source>
   <translation>aten/src/ATen/autocast_mode.cpp，torch 2.13：叶子权重的转换结果会被缓存</translation>
  </message>
  <message>
   <source>aten/src/ATen/cuda/CublasHandlePool.cpp and its changes, up to torch 2.13</source>
   <translation>aten/src/ATen/cuda/CublasHandlePool.cpp 及其历次改动，直至 torch 2.13</translation>
  </message>
  <message>
   <source>attention by a fused kernel: its rounding differs, attention weights are not available</source>
   <translation>用融合内核计算注意力：舍入不同，无法得到注意力权重</translation>
  </message>
  <message>
   <source>attention {value}</source>
   <translation>注意力 {value}</translation>
  </message>
  <message>
   <source>autocast casts fp32 weights once in forward; a cast that backward needs lives until that layer's backward has run. This is why AMP can use more memory on a small batch.</source>
   <translation>autocast 在前向中把 fp32 权重转换一次；反向需要的转换副本会存活到该层反向执行完毕。因此在小批次时，AMP 可能占用更多显存。</translation>
  </message>
  <message>
   <source>batch 1, accumulated as often as the batch was large: the same step, more kernel launches</source>
   <translation>批大小设为 1，按原批大小做梯度累积：训练步相同，内核启动更多</translation>
  </message>
  <message>
   <source>batch {batch} x {sequence} tokens, what each operation saves for backward</source>
   <translation>批大小 {batch} x {sequence} 个 token，各运算为反向保存的内容</translation>
  </message>
  <message>
   <source>batch {value}</source>
   <translation>批大小 {value}</translation>
  </message>
  <message>
   <source>before the step: norms for clipping</source>
   <translation>更新之前：裁剪用的范数</translation>
  </message>
  <message>
   <source>beta1 = 0 does not save the first moment: it is allocated all the same.</source>
   <translation>beta1 = 0 并不能省去一阶矩：照样会分配。</translation>
  </message>
  <message>
   <source>between tensor-parallel ranks while a layer runs: {forward_bytes} in forward, {backward_bytes} in backward</source>
   <translation>张量并行的各 rank 之间，在层运行期间：前向 {forward_bytes}，反向 {backward_bytes}</translation>
  </message>
  <message>
   <source>bf16 weights and gradients; the optimizer updates an fp32 copy (apex O2, DeepSpeed bf16).</source>
   <translation>bf16 权重与梯度；优化器更新 fp32 副本（apex O2、DeepSpeed bf16）。</translation>
  </message>
  <message>
   <source>bf16 weights, fp32 main gradients, fp32 main weights: 18 bytes a parameter with Adam.</source>
   <translation>bf16 权重、fp32 主梯度、fp32 主权重：使用 Adam 时每参数 18 字节。</translation>
  </message>
  <message>
   <source>buffers for reduction (reduce_bucket_size)</source>
   <translation>归约用的缓冲区 (reduce_bucket_size)</translation>
  </message>
  <message>
   <source>bytes</source>
   <translation>字节</translation>
  </message>
  <message>
   <source>bytes/parameter</source>
   <translation>字节/参数</translation>
  </message>
  <message>
   <source>c10/core/CPUAllocator.cpp: nothing is kept for later</source>
   <translation>c10/core/CPUAllocator.cpp：不留用任何内存</translation>
  </message>
  <message>
   <source>c10/cuda/CUDACachingAllocator.cpp: round_size, get_allocation_size, should_split</source>
   <translation>c10/cuda/CUDACachingAllocator.cpp：round_size、get_allocation_size、should_split</translation>
  </message>
  <message>
   <source>checkpoint every block: forward runs twice, about a third more computation</source>
   <translation>对每个块做激活重计算：前向运行两次，计算量约多三分之一</translation>
  </message>
  <message>
   <source>checkpointing {value}</source>
   <translation>激活重计算 {value}</translation>
  </message>
  <message>
   <source>clip</source>
   <translation>梯度裁剪</translation>
  </message>
  <message>
   <source>component</source>
   <translation>组成部分</translation>
  </message>
  <message>
   <source>config.json describes {expected_count} parameters, the weights hold {count}; the weights count.</source>
   <translation>config.json 描述了 {expected_count} 个参数，权重中有 {count} 个；以权重为准。</translation>
  </message>
  <message>
   <source>config.json has no usable {field}: its dimensions are not known, activations are not counted.</source>
   <translation>config.json 中没有可用的 {field}：尺寸未知，激活值未计入。</translation>
  </message>
  <message>
   <source>config.json: diffusers {version} has no model {family}; update it, or open the weights instead</source>
   <translation>config.json：diffusers {version} 没有模型 {family}；请更新 diffusers，或改为打开权重</translation>
  </message>
  <message>
   <source>config.json: it holds no object; open the config.json of a model</source>
   <translation>config.json：其中不是 JSON 对象；请打开模型的 config.json</translation>
  </message>
  <message>
   <source>config.json: it is not known what {family} is trained on; write a function that returns model, batch and loss and give it as FILE.py:NAME</source>
   <translation>config.json：不知道 {family} 以什么任务训练；请编写一个返回模型、批次和损失的函数，以 FILE.py:NAME 给出</translation>
  </message>
  <message>
   <source>config.json: the library said nothing for {seconds} seconds and was stopped; try again, or open the weights instead</source>
   <translation>config.json：该库 {seconds} 秒没有响应，已被停止；请重试，或改为打开权重</translation>
  </message>
  <message>
   <source>config.json: the worker ended before it had built the model ({cause}); open the weights instead</source>
   <translation>config.json：工作进程在构建模型之前就结束了（{cause}）；请改为打开权重</translation>
  </message>
  <message>
   <source>config.json: transformers cannot build {family} from it ({cause}); correct what it names</source>
   <translation>config.json：transformers 无法据此构建 {family}（{cause}）；请更正其中提到的内容</translation>
  </message>
  <message>
   <source>config.json: transformers does not load in the worker's Python ({cause}); install it there (pip install transformers) or choose another Python in the settings</source>
   <translation>config.json：工作进程所用的 Python 无法加载 transformers（{cause}）；请在其中安装（pip install transformers），或在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>config.json: transformers {version} does not know {family}; update it, or write a function that builds the model and give it as FILE.py:NAME</source>
   <translation>config.json：transformers {version} 不认识 {family}；请更新 transformers，或编写一个构建该模型的函数，以 FILE.py:NAME 给出</translation>
  </message>
  <message>
   <source>config.json: {family} brings code of its own ({code}), which is not run; write a function that builds it and give it as FILE.py:NAME</source>
   <translation>config.json：{family} 自带代码（{code}），不会运行；请编写一个构建它的函数，以 FILE.py:NAME 给出</translation>
  </message>
  <message>
   <source>config.json: {family} needs diffusers, which does not load in the worker's Python ({cause}); install it there (pip install diffusers) or choose another Python in the settings</source>
   <translation>config.json：{family} 需要 diffusers，但工作进程所用的 Python 无法加载它（{cause}）；请在其中安装（pip install diffusers），或在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>cross-entropy in chunks: logits are computed again in backward</source>
   <translation>分块计算交叉熵：反向时重新计算 logits</translation>
  </message>
  <message>
   <source>cuBLAS takes scratch memory from PyTorch's allocator at its first matrix product and keeps it, so it shows as allocated.</source>
   <translation>cuBLAS 在第一次矩阵乘法时向 PyTorch 的分配器申请暂存内存并一直保留，因此显示为已分配。</translation>
  </message>
  <message>
   <source>cuDNN chooses the workspace of a convolution itself: 0 to {most_bytes} a call, the upper end is in the high peak only</source>
   <translation>cuDNN 自行选择卷积的工作区：每次调用 0 到 {most_bytes}，上限只计入峰值上界</translation>
  </message>
  <message>
   <source>dtype</source>
   <translation>dtype</translation>
  </message>
  <message>
   <source>ends of segments that are not split off, found by playing every request in its order</source>
   <translation>内存段末尾未切分的部分，由按次序重放每个请求得出</translation>
  </message>
  <message>
   <source>ep: {ep} expert-parallel ranks, but this model has no experts</source>
   <translation>ep：设了 {ep} 个专家并行 rank，但此模型没有专家</translation>
  </message>
  <message>
   <source>ep: {experts} experts do not divide by {ep}; choose a divisor</source>
   <translation>ep：{experts} 个专家不能被 {ep} 整除；请选择一个约数</translation>
  </message>
  <message>
   <source>ep: {ranks} data-parallel ranks do not divide by {ep} expert-parallel ranks; change one of them</source>
   <translation>ep：{ranks} 个数据并行 rank 不能被 {ep} 个专家并行 rank 整除；请修改其中之一</translation>
  </message>
  <message>
   <source>error</source>
   <translation>误差</translation>
  </message>
  <message>
   <source>estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>event {index} makes two segments lie over each other; the file is damaged or was put together from several</source>
   <translation>事件 {index} 使两个内存段相互重叠；文件已损坏，或由多个文件拼成</translation>
  </message>
  <message>
   <source>every allocation rounded up to 512 B, and ends of segments up to 1 MiB that are not split off</source>
   <translation>每次分配向上取整到 512 B，另加内存段末尾未切分的部分，最多 1 MiB</translation>
  </message>
  <message>
   <source>every block that was alive when the recording began has its size in the recording</source>
   <translation>记录开始时存活的每个块，其大小都在记录中</translation>
  </message>
  <message>
   <source>every rank holds the same</source>
   <translation>每个 rank 保存的内容相同</translation>
  </message>
  <message>
   <source>everything that is alive at the fullest moment of a step, in this phase: {phase}</source>
   <translation>一个训练步中最满的时刻存活的一切，所在阶段：{phase}</translation>
  </message>
  <message>
   <source>everything that is alive at the fullest moment of this phase</source>
   <translation>此阶段最满的时刻存活的一切</translation>
  </message>
  <message>
   <source>everything that is alive on this rank at its fullest moment, in this phase: {phase}</source>
   <translation>此 rank 在其最满的时刻存活的一切，所在阶段：{phase}</translation>
  </message>
  <message>
   <source>exp keeps one more number a tensor.</source>
   <translation>exp 会为每个张量多保留一个数。</translation>
  </message>
  <message>
   <source>figures of other runs</source>
   <translation>其他运行的数值</translation>
  </message>
  <message>
   <source>foreach handles all parameters at once, so each list it makes is as large as all of them: {lists} x {list_bytes} = {total_bytes}. foreach=false handles one parameter at a time.</source>
   <translation>foreach 一次处理全部参数，因此它生成的每个列表都与全部参数一样大：{lists} x {list_bytes} = {total_bytes}。foreach=false 则逐个参数处理。</translation>
  </message>
  <message>
   <source>foreach handles all parameters at once: about {lists} lists as large as all of them = {total_bytes}. foreach=false handles one parameter at a time.</source>
   <translation>foreach 一次处理全部参数：约 {lists} 个与全部参数同样大小的列表 = {total_bytes}。foreach=false 则逐个参数处理。</translation>
  </message>
  <message>
   <source>foreach handles all parameters at once: {lists} x {list_bytes}, and {one_bytes} of smaller tensors meanwhile = {total_bytes}. foreach=false handles one parameter at a time.</source>
   <translation>foreach 一次处理全部参数：{lists} x {list_bytes}，同时还有 {one_bytes} 的较小张量 = {total_bytes}。foreach=false 则逐个参数处理。</translation>
  </message>
  <message>
   <source>foreach updates its lists in place with these options.</source>
   <translation>使用这些选项时，foreach 原地更新其列表。</translation>
  </message>
  <message>
   <source>formula</source>
   <translation>公式</translation>
  </message>
  <message>
   <source>fp16 weights and gradients; the optimizer updates an fp32 copy (apex O2, DeepSpeed fp16).</source>
   <translation>fp16 权重与梯度；优化器更新 fp32 副本（apex O2、DeepSpeed fp16）。</translation>
  </message>
  <message>
   <source>fp32 copy of the 16-bit gradients, made at the step for the master weights</source>
   <translation>16 位梯度的 fp32 副本，在优化器更新时为主权重生成</translation>
  </message>
  <message>
   <source>fp8 matrix products read fp8 copies; backward needs the transpose. The high-precision weights stay beside them.</source>
   <translation>fp8 矩阵乘读取 fp8 副本；反向需要其转置。高精度权重仍保留在旁边。</translation>
  </message>
  <message>
   <source>free gradients instead of zeroing them: code that reads .grad between steps must expect None</source>
   <translation>释放梯度而不是清零：在两步之间读取 .grad 的代码须能处理 None</translation>
  </message>
  <message>
   <source>from source</source>
   <translation>依据源码</translation>
  </message>
  <message>
   <source>from source only, not yet compared</source>
   <translation>仅据源码，尚未对比</translation>
  </message>
  <message>
   <source>frozen base: {count} parameters in {dtype}, {bytes}</source>
   <translation>冻结的基座：{count} 个参数，{dtype}，{bytes}</translation>
  </message>
  <message>
   <source>frozen base: {count} parameters packed as {dtype} with their scales, {bytes}</source>
   <translation>冻结的基座：{count} 个参数，以 {dtype} 打包并带缩放因子，{bytes}</translation>
  </message>
  <message>
   <source>gpus: {gpus} does not divide by {product} ({degrees}); change one of them</source>
   <translation>gpus：{gpus} 不能被 {product}（{degrees}）整除；请修改其中之一</translation>
  </message>
  <message>
   <source>gradient_as_bucket_view belongs to ddp, not to {shard}</source>
   <translation>gradient_as_bucket_view 属于 ddp，不适用于 {shard}</translation>
  </message>
  <message>
   <source>gradients live in DDP's buckets: nothing is lost, unless code keeps .grad</source>
   <translation>梯度直接放在 DDP 的桶中：没有任何损失，除非代码另外持有 .grad</translation>
  </message>
  <message>
   <source>gradients, rounded up to blocks</source>
   <translation>梯度，向上取整到块</translation>
  </message>
  <message>
   <source>history_size 100 (the default) is 202 copies of the parameters; the first steps show far less.</source>
   <translation>history_size 为 100（默认）时相当于参数的 202 份副本；最初几步远看不到这么多。</translation>
  </message>
  <message>
   <source>hold the frozen base in 4 bits: slower, and it rounds the base</source>
   <translation>以 4 位保存冻结的基座：更慢，且基座被舍入</translation>
  </message>
  <message>
   <source>host memory</source>
   <translation>主机内存</translation>
  </message>
  <message>
   <source>in forward and backward: gradients of activations, and what kernels need</source>
   <translation>前向和反向中：激活值的梯度，以及内核所需的内存</translation>
  </message>
  <message>
   <source>in the step: {update_bytes} of the update, {copy_bytes} of gradients copied to the master's type</source>
   <translation>更新中：更新本身 {update_bytes}，梯度转换为主权重类型的副本 {copy_bytes}</translation>
  </message>
  <message>
   <source>interleave: {interleave} chunks a rank need a pipeline; set pp above 1</source>
   <translation>interleave：每个 rank 持有 {interleave} 个层块需要流水线；请把 pp 设为大于 1</translation>
  </message>
  <message>
   <source>keep-logits</source>
   <translation>保留 logits</translation>
  </message>
  <message>
   <source>kept all the time</source>
   <translation>始终保留</translation>
  </message>
  <message>
   <source>keys and values between context-parallel ranks: {forward_bytes} in forward, {backward_bytes} in backward</source>
   <translation>上下文并行的各 rank 之间的键和值：前向 {forward_bytes}，反向 {backward_bytes}</translation>
  </message>
  <message>
   <source>largest moment</source>
   <translation>最满的时刻</translation>
  </message>
  <message>
   <source>left unquantized and lifted to {dtype} by k-bit preparation (embeddings, norms, head): {count} parameters, {bytes}</source>
   <translation>未量化，由 k-bit 预处理提升为 {dtype}（嵌入层、归一化层、输出头）：{count} 个参数，{bytes}</translation>
  </message>
  <message>
   <source>let go of the logits after the loss: nothing is lost</source>
   <translation>算出损失后释放 logits：没有任何代价</translation>
  </message>
  <message>
   <source>lion makes fewer tensors in the step; the state is the same.</source>
   <translation>lion 在更新时生成的张量较少；状态相同。</translation>
  </message>
  <message>
   <source>loss {value}</source>
   <translation>损失 {value}</translation>
  </message>
  <message>
   <source>momentum=0 saves nothing here: the buffer is kept all the same.</source>
   <translation>momentum=0 在这里没有任何节省：缓冲区照样保留。</translation>
  </message>
  <message>
   <source>momentum=0.0 keeps the buffer, and None is not accepted.</source>
   <translation>momentum=0.0 仍保留缓冲区，且不接受 None。</translation>
  </message>
  <message>
   <source>momentum=0.0 keeps the buffer; only None drops it.</source>
   <translation>momentum=0.0 仍保留缓冲区；只有 None 才会去掉它。</translation>
  </message>
  <message>
   <source>more for a while in this phase: {phase}</source>
   <translation>此阶段中短时增加：{phase}</translation>
  </message>
  <message>
   <source>mu_dtype changes the first moment alone. With bf16 parameters both moments are bf16, and there is no fp32 copy of the weights.</source>
   <translation>mu_dtype 只改变一阶矩。参数为 bf16 时两个矩均为 bf16，且没有权重的 fp32 副本。</translation>
  </message>
  <message>
   <source>no GPU to plan for: add `--gpu ID`, such as `--gpu h100-80gb`</source>
   <translation>没有可供规划的 GPU：请加上 `--gpu ID`，例如 `--gpu h100-80gb`</translation>
  </message>
  <message>
   <source>no GPU to plan for; choose one in the tool bar</source>
   <translation>没有可供规划的 GPU；请在工具栏中选择</translation>
  </message>
  <message>
   <source>no model: give a PATH, `--params 7B` or `--preset ID`</source>
   <translation>没有模型：请给出 PATH、`--params 7B` 或 `--preset ID`</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>none on a CPU</source>
   <translation>CPU 上没有</translation>
  </message>
  <message>
   <source>norms and dropout on a part of the sequence: other collectives, no more of them</source>
   <translation>归一化层和 dropout 只处理序列的一部分：改用其他集合通信，次数不增加</translation>
  </message>
  <message>
   <source>norms of every gradient, for clipping</source>
   <translation>用于裁剪的各梯度范数</translation>
  </message>
  <message>
   <source>not all of it at once: part is freed before the rest is made</source>
   <translation>并非全部同时存在：其余生成之前，一部分已释放</translation>
  </message>
  <message>
   <source>not counted</source>
   <translation>未计入</translation>
  </message>
  <message>
   <source>offload: {needed_bytes} of host memory a GPU are needed, {host_bytes} are there; offload less or add memory</source>
   <translation>offload：每张 GPU 需要 {needed_bytes} 主机内存，现有 {host_bytes}；请少卸载一些，或增加内存</translation>
  </message>
  <message>
   <source>offload: {shard} does not move parameters to host memory; use zero3 or fsdp2, or offload the optimizer only</source>
   <translation>offload：{shard} 不会把参数移到主机内存；请使用 zero3 或 fsdp2，或只卸载优化器</translation>
  </message>
  <message>
   <source>offload: {shard} keeps everything on the GPU; use zero1, zero2, zero3 or fsdp2</source>
   <translation>offload：{shard} 把全部内容留在 GPU 上；请使用 zero1、zero2、zero3 或 fsdp2</translation>
  </message>
  <message>
   <source>one GPU</source>
   <translation>单张 GPU</translation>
  </message>
  <message>
   <source>one GPU: none</source>
   <translation>单张 GPU：无</translation>
  </message>
  <message>
   <source>one {dtype} cast of every matrix that is multiplied</source>
   <translation>每个参与矩阵乘的矩阵各有一份 {dtype} 转换副本</translation>
  </message>
  <message>
   <source>one_diag: a vector for the longest axis; smart_one_diag: only where it is the only longest; all_diag: vectors for all.</source>
   <translation>one_diag：最长的轴用向量；smart_one_diag：仅当最长的轴唯一时；all_diag：全部用向量。</translation>
  </message>
  <message>
   <source>optimizer state and step in host memory: slower by far, and the host needs room</source>
   <translation>优化器状态和更新放在主机内存中：慢得多，且主机需有足够内存</translation>
  </message>
  <message>
   <source>optimizer state, rounded up to blocks</source>
   <translation>优化器状态，向上取整到块</translation>
  </message>
  <message>
   <source>parameters gathered ahead and kept (stage3_max_live_parameters)</source>
   <translation>提前聚集并保留的参数 (stage3_max_live_parameters)</translation>
  </message>
  <message>
   <source>parameters in host memory too: every layer waits for the bus</source>
   <translation>参数也放在主机内存中：每一层都要等待总线传输</translation>
  </message>
  <message>
   <source>peak {peak_bytes}</source>
   <translation>峰值 {peak_bytes}</translation>
  </message>
  <message>
   <source>peaks of 29 public CUDA memory snapshots of transformers; c10/cuda/CUDACachingAllocator.cpp</source>
   <translation>29 份公开的 Transformer CUDA 显存快照的峰值；c10/cuda/CUDACachingAllocator.cpp</translation>
  </message>
  <message>
   <source>phase</source>
   <translation>阶段</translation>
  </message>
  <message>
   <source>pp: {layers} layers do not divide into {stages} chunks; change pp or interleave</source>
   <translation>pp：{layers} 层不能等分为 {stages} 个层块；请修改 pp 或 interleave</translation>
  </message>
  <message>
   <source>pp: {pp} stages for {layers} layers; use at most {layers}</source>
   <translation>pp：{layers} 层不够分成 {pp} 级；最多为 {layers}</translation>
  </message>
  <message>
   <source>precision: {shard} keeps its own 16-bit weights and does not run {precision}; choose bf16-master, fp16-master, bf16 or fp32</source>
   <translation>精度：{shard} 保存自己的 16 位权重，不支持 {precision}；请选择 bf16-master、fp16-master、bf16 或 fp32</translation>
  </message>
  <message>
   <source>precision: {shard} keeps the weights it shards and no separate master copy, so not {precision}; choose amp-bf16 (fp32 weights, 16-bit computation) or bf16</source>
   <translation>精度：{shard} 只保存其切分的权重，没有单独的主权重，因此不支持 {precision}；请选择 amp-bf16（fp32 权重，16 位计算）或 bf16</translation>
  </message>
  <message>
   <source>proven</source>
   <translation>已验证</translation>
  </message>
  <message>
   <source>published readings of the CUDA context: 141 MiB (T4) to 612 MiB (B200), pytorch pull 86509, issues 107667 and 109888</source>
   <translation>公开发表的 CUDA 上下文读数：141 MiB (T4) 至 612 MiB (B200)，pytorch pull 86509，issue 107667 与 109888</translation>
  </message>
  <message>
   <source>random projectors have their own size; svd ones are slices that fp32 gradients keep whole.</source>
   <translation>random 投影矩阵只占自身大小；svd 投影矩阵是切片，梯度为 fp32 时会保留整个因子。</translation>
  </message>
  <message>
   <source>rank</source>
   <translation>rank</translation>
  </message>
  <message>
   <source>rank {rank} on {targets}, base in {dtype}</source>
   <translation>秩 {rank}，作用于 {targets}，基座为 {dtype}</translation>
  </message>
  <message>
   <source>rank: {rank} is not among {gpus} ranks; use 0 up to one less</source>
   <translation>rank：{gpus} 个 rank 中没有 {rank}；请使用 0 到总数减一</translation>
  </message>
  <message>
   <source>real run in our tests</source>
   <translation>测试中真实运行</translation>
  </message>
  <message>
   <source>recording we made</source>
   <translation>我们自己的记录</translation>
  </message>
  <message>
   <source>replicas: {ranks} data-parallel ranks do not divide into {replicas} groups; change one of them</source>
   <translation>replicas：{ranks} 个数据并行 rank 不能等分为 {replicas} 组；请修改其中之一</translation>
  </message>
  <message>
   <source>replicas: {replicas} groups need --shard hsdp, not {shard}</source>
   <translation>replicas：{replicas} 组需要 --shard hsdp，而不是 {shard}</translation>
  </message>
  <message>
   <source>reserved</source>
   <translation>已保留</translation>
  </message>
  <message>
   <source>reserved, and what the process holds outside the allocator</source>
   <translation>已保留的内存，以及进程在分配器之外占用的内存</translation>
  </message>
  <message>
   <source>resident memory of Python after `import torch`, about 223 MiB</source>
   <translation>执行 `import torch` 之后 Python 的常驻内存，约 223 MiB</translation>
  </message>
  <message>
   <source>run on this computer</source>
   <translation>在此计算机上运行</translation>
  </message>
  <message>
   <source>scales of the {dtype} blocks</source>
   <translation>{dtype} 各块的缩放因子</translation>
  </message>
  <message>
   <source>seq {value}</source>
   <translation>序列长度 {value}</translation>
  </message>
  <message>
   <source>sequence parallel: it splits what tensor-parallel ranks share; set tp above 1</source>
   <translation>序列并行：它切分的是张量并行 rank 共有的部分；请把 tp 设为大于 1</translation>
  </message>
  <message>
   <source>shard: {given} is not known; choose one of {known}</source>
   <translation>shard：未知的 {given}；请选择 {known} 之一</translation>
  </message>
  <message>
   <source>share</source>
   <translation>占比</translation>
  </message>
  <message>
   <source>share more among the same GPUs: more communication in forward and backward</source>
   <translation>在同样的 GPU 之间分摊更多内容：前向和反向中的通信更多</translation>
  </message>
  <message>
   <source>solve batch: a sequence length is needed; add --seq N</source>
   <translation>solve batch：需要序列长度；请加上 --seq N</translation>
  </message>
  <message>
   <source>solve seq: a batch is needed; add --batch N</source>
   <translation>solve seq：需要批大小；请加上 --batch N</translation>
  </message>
  <message>
   <source>solve: the model fixes its sequence to {tokens} tokens; look for the batch instead</source>
   <translation>solve：模型的序列长度固定为 {tokens} 个 token；请改为求批大小</translation>
  </message>
  <message>
   <source>solve: the model's architecture is not known, so activations are not counted; open its config.json or choose a preset</source>
   <translation>solve：模型结构未知，因此未计入激活值；请打开其 config.json，或选择一个预设</translation>
  </message>
  <message>
   <source>solve: there is nothing to look for, change what is named: {why}</source>
   <translation>solve：没有可求的内容，请更改所指出的设置：{why}</translation>
  </message>
  <message>
   <source>stage {number} of {stages}: the embedding, {layers} layers, activations of {waiting} micro-batches</source>
   <translation>第 {number} 级，共 {stages} 级：嵌入层、{layers} 层、{waiting} 个微批次的激活值</translation>
  </message>
  <message>
   <source>stage {number} of {stages}: {layers} layers, activations of {waiting} micro-batches</source>
   <translation>第 {number} 级，共 {stages} 级：{layers} 层、{waiting} 个微批次的激活值</translation>
  </message>
  <message>
   <source>stage {number} of {stages}: {layers} layers, the head and the loss, activations of {waiting} micro-batches</source>
   <translation>第 {number} 级，共 {stages} 级：{layers} 层、输出头与损失、{waiting} 个微批次的激活值</translation>
  </message>
  <message>
   <source>stages: stage {number} has no layer; give every stage one at least</source>
   <translation>stages：第 {number} 级没有层；每一级至少要有一层</translation>
  </message>
  <message>
   <source>stages: the {held} layers of stage {number} do not divide into {interleave} chunks; change them or interleave</source>
   <translation>stages：第 {number} 级的 {held} 层无法均分为 {interleave} 个层块；请修改层数或 interleave</translation>
  </message>
  <message>
   <source>stages: {given} is not a list of layers; write it as 10,11,11</source>
   <translation>stages：{given} 不是层数列表；请写成 10,11,11 的形式</translation>
  </message>
  <message>
   <source>stages: {given} layers in all, but the model has {layers}; change one of the numbers</source>
   <translation>stages：合计 {given} 层，而模型有 {layers} 层；请修改其中的数</translation>
  </message>
  <message>
   <source>stages: {given} numbers of layers for {pp} pipeline stages; give one for each</source>
   <translation>stages：流水线有 {pp} 级，却给出了 {given} 个层数；请为每一级各给一个</translation>
  </message>
  <message>
   <source>target {value}</source>
   <translation>目标 {value}</translation>
  </message>
  <message>
   <source>temporaries of the optimizer's step</source>
   <translation>优化器更新的临时张量</translation>
  </message>
  <message>
   <source>temporaries, rounded up to blocks</source>
   <translation>临时张量，向上取整到块</translation>
  </message>
  <message>
   <source>the fused step: no lists of temporaries; needs all parameters on the GPU</source>
   <translation>使用融合的优化器更新：没有临时张量列表；要求全部参数位于 GPU 上</translation>
  </message>
  <message>
   <source>the largest moment beyond that: what is being computed just then</source>
   <translation>除此之外最大的时刻：当时正在计算的内容</translation>
  </message>
  <message>
   <source>the order of a training step: torch.autograd and torch.optim, torch 2.13</source>
   <translation>训练步的次序：torch.autograd 与 torch.optim，torch 2.13</translation>
  </message>
  <message>
   <source>the recording began after expandable segments were mapped; where their address range begins is taken from the lowest address seen</source>
   <translation>记录开始时可扩展段已映射；其地址范围的起点取所见的最低地址</translation>
  </message>
  <message>
   <source>the recording does not say which allocator settings it was made with</source>
   <translation>记录没有说明所用的分配器设置</translation>
  </message>
  <message>
   <source>the recording's own settings cannot be used: {name} is {given}; record it again with a released PyTorch</source>
   <translation>记录自带的设置无法使用：{name} 为 {given}；请用正式发布的 PyTorch 重新记录</translation>
  </message>
  <message>
   <source>the sizes of {count} blocks that were alive when the recording began follow from where later allocations went</source>
   <translation>记录开始时存活的 {count} 个块，其大小由之后各次分配的位置推得</translation>
  </message>
  <message>
   <source>the snapshot needs more memory than this computer has free; record fewer events (max_entries)</source>
   <translation>快照所需内存超过本机可用内存；请减少记录的事件数（max_entries）</translation>
  </message>
  <message>
   <source>the window cannot open: PySide6 is not installed; run `pip install PySide6-Essentials==6.10.3`, or use `optmem estimate --params 7B`</source>
   <translation>窗口无法打开：未安装 PySide6；请运行 `pip install PySide6-Essentials==6.10.3`，或使用 `optmem estimate --params 7B`</translation>
  </message>
  <message>
   <source>the window cannot open: Qt does not load ({why}); reinstall it with `pip install --force-reinstall PySide6-Essentials==6.10.3`</source>
   <translation>窗口无法打开：Qt 无法加载（{why}）；请用 `pip install --force-reinstall PySide6-Essentials==6.10.3` 重新安装</translation>
  </message>
  <message>
   <source>the window cannot open: there is no display; set DISPLAY, run under `xvfb-run`, or use `optmem estimate --params 7B`</source>
   <translation>窗口无法打开：没有显示器；请设置 DISPLAY，或在 `xvfb-run` 下运行，或使用 `optmem estimate --params 7B`</translation>
  </message>
  <message>
   <source>the window cannot open: {library} is missing; on Debian and Ubuntu run `apt-get install {package}`, see README.md for all of them</source>
   <translation>窗口无法打开：缺少 {library}；在 Debian 或 Ubuntu 上请运行 `apt-get install {package}`，完整列表见 README.md</translation>
  </message>
  <message>
   <source>to and from the neighbouring stages: {forward_bytes} in forward, {backward_bytes} in backward</source>
   <translation>与相邻的流水线级之间收发：前向 {forward_bytes}，反向 {backward_bytes}</translation>
  </message>
  <message>
   <source>tools/autograd/derivatives.yaml, torch 2.13: what each operation saves for its backward</source>
   <translation>tools/autograd/derivatives.yaml，torch 2.13：每个运算为其反向保存的内容</translation>
  </message>
  <message>
   <source>torch of {python} is damaged ({cause}); install it there anew or choose another Python</source>
   <translation>{python} 中的 torch 已损坏（{cause}）；请在其中重新安装，或选择其他 Python</translation>
  </message>
  <message>
   <source>torch {torch} counts references otherwise than the simulation expects ({alone}, {shared}); choose a Python with torch 2.9 to 2.13 in the settings</source>
   <translation>torch {torch} 的引用计数与模拟所预期的不同（{alone}，{shared}）；请在设置中选择装有 torch 2.9 到 2.13 的 Python</translation>
  </message>
  <message>
   <source>torch {torch} does not tell when storages end, which the simulation needs; choose a Python with torch 2.9 to 2.13 in the settings</source>
   <translation>torch {torch} 不报告存储何时结束，而模拟需要这一信息；请在设置中选择装有 torch 2.9 到 2.13 的 Python</translation>
  </message>
  <message>
   <source>torch {torch} of {python} is a CPU build: Measure runs on the CPU; for the GPU, install a CUDA build there</source>
   <translation>{python} 中的 torch {torch} 是 CPU 版本：“测量”将在 CPU 上运行；要使用 GPU，请在其中安装 CUDA 版本</translation>
  </message>
  <message>
   <source>torch {torch} of {python} is older than {oldest}; update it there or choose another Python</source>
   <translation>{python} 中的 torch {torch} 低于 {oldest}；请在其中更新，或选择其他 Python</translation>
  </message>
  <message>
   <source>torch {torch} works otherwise inside than the simulation expects ({cause}); choose a Python with torch 2.9 to 2.13 in the settings</source>
   <translation>torch {torch} 的内部实现与模拟所预期的不同（{cause}）；请在设置中选择装有 torch 2.9 到 2.13 的 Python</translation>
  </message>
  <message>
   <source>torch.autocast documentation: weights keep their type, casts are transient</source>
   <translation>torch.autocast 文档：权重保持原类型，转换是临时的</translation>
  </message>
  <message>
   <source>torch.autocast in fp16 with a GradScaler: weights, gradients and optimizer state stay fp32. AMP does not halve model states.</source>
   <translation>fp16 的 torch.autocast 加 GradScaler：权重、梯度和优化器状态仍为 fp32。AMP 不会让模型状态减半。</translation>
  </message>
  <message>
   <source>torch.autocast over fp32 weights: weights, gradients and optimizer state stay fp32. Only activations and transient 16-bit casts of the weights are smaller: AMP does not halve model states.</source>
   <translation>fp32 权重上的 torch.autocast：权重、梯度和优化器状态仍为 fp32。只有激活值和临时的 16 位权重副本变小：AMP 不会让模型状态减半。</translation>
  </message>
  <message>
   <source>torch.compile is left out: the step is traced as it runs without it, which takes more memory</source>
   <translation>未使用 torch.compile：训练步按未编译的方式追踪，显存占用更多</translation>
  </message>
  <message>
   <source>torch.nn.Module.register_buffer, and the checkpoint's own headers</source>
   <translation>torch.nn.Module.register_buffer，以及检查点自身的文件头</translation>
  </message>
  <message>
   <source>torch.nn.Module.to(dtype): every parameter, its gradient and what follows it in one type</source>
   <translation>torch.nn.Module.to(dtype)：每个参数、其梯度以及随之而来的内容都用同一类型</translation>
  </message>
  <message>
   <source>torch.nn.parallel, torch.distributed.fsdp, DeepSpeed and Megatron-LM: sizes of their buffers</source>
   <translation>torch.nn.parallel、torch.distributed.fsdp、DeepSpeed 与 Megatron-LM：各自缓冲区的大小</translation>
  </message>
  <message>
   <source>torch.nn.parallel.DistributedDataParallel, torch 2.13</source>
   <translation>torch.nn.parallel.DistributedDataParallel，torch 2.13</translation>
  </message>
  <message>
   <source>torch.optim.Optimizer.zero_grad; torch/csrc/autograd/functions/accumulate_grad.h, torch 2.13</source>
   <translation>torch.optim.Optimizer.zero_grad；torch/csrc/autograd/functions/accumulate_grad.h，torch 2.13</translation>
  </message>
  <message>
   <source>torch/distributed/fsdp/_flat_param.py, torch 2.13</source>
   <translation>torch/distributed/fsdp/_flat_param.py，torch 2.13</translation>
  </message>
  <message>
   <source>torch/distributed/fsdp/_fully_shard with a mesh of two axes, torch 2.13</source>
   <translation>torch/distributed/fsdp/_fully_shard，使用两个轴的 mesh，torch 2.13</translation>
  </message>
  <message>
   <source>torch/distributed/fsdp/_fully_shard, torch 2.13</source>
   <translation>torch/distributed/fsdp/_fully_shard，torch 2.13</translation>
  </message>
  <message>
   <source>torch/distributed/optim/zero_redundancy_optimizer.py, torch 2.13</source>
   <translation>torch/distributed/optim/zero_redundancy_optimizer.py，torch 2.13</translation>
  </message>
  <message>
   <source>torchao float8 training on bf16 weights: casts are made on the fly for each product; nothing is kept.</source>
   <translation>bf16 权重上的 torchao float8 训练：每次矩阵乘时即时转换；不保留任何副本。</translation>
  </message>
  <message>
   <source>torchao, Float8Linear: dynamic casts, nothing kept</source>
   <translation>torchao，Float8Linear：动态转换，不保留任何内容</translation>
  </message>
  <message>
   <source>tp: an MLP width of {size} does not divide by {tp}; choose a divisor</source>
   <translation>tp：MLP 宽度 {size} 不能被 {tp} 整除；请选择一个约数</translation>
  </message>
  <message>
   <source>tp: {size} attention heads do not divide by {tp}; choose a divisor</source>
   <translation>tp：{size} 个注意力头不能被 {tp} 整除；请选择一个约数</translation>
  </message>
  <message>
   <source>tp: {size} key and value heads and {tp} ranks do not divide into each other; choose another tp</source>
   <translation>tp：{size} 个键值头与 {tp} 个 rank 之间不能整除；请选择其他 tp</translation>
  </message>
  <message>
   <source>train adapters of rank 16 alone: the model itself no longer learns</source>
   <translation>只训练秩为 16 的适配器：模型本身不再学习</translation>
  </message>
  <message>
   <source>trainable parameters: {given} is not a regular expression ({why}); write `all` or a pattern such as `lm_head|norm`</source>
   <translation>可训练参数：{given} 不是正则表达式（{why}）；请填写 `all` 或 `lm_head|norm` 这样的模式</translation>
  </message>
  <message>
   <source>trainable parameters: {given} matches no parameter that can be trained; names look like {example}</source>
   <translation>可训练参数：{given} 没有匹配任何可训练的参数；名称形如 {example}</translation>
  </message>
  <message>
   <source>transformers has no fused kernel of PyTorch for what this family does to its scores, and runs eager attention.</source>
   <translation>对于此系列在注意力分数上所做的运算，transformers 没有可用的 PyTorch 融合内核，因此运行 eager 注意力。</translation>
  </message>
  <message>
   <source>twice as many GPUs: each keeps a smaller share, and the global batch doubles</source>
   <translation>GPU 数量加倍：每张保留的份额更小，全局批大小也随之加倍</translation>
  </message>
  <message>
   <source>usable {usable_bytes}</source>
   <translation>可用 {usable_bytes}</translation>
  </message>
  <message>
   <source>weights, master weights and buffers, rounded up to blocks</source>
   <translation>权重、主权重和缓冲区，向上取整到块</translation>
  </message>
  <message>
   <source>what sets it apart</source>
   <translation>不同之处</translation>
  </message>
  <message>
   <source>what you entered</source>
   <translation>您所填写的内容</translation>
  </message>
  <message>
   <source>whole segments, and what stays of partly used ones</source>
   <translation>完整的内存段，以及只用了一部分的段的剩余</translation>
  </message>
  <message>
   <source>why</source>
   <translation>原因</translation>
  </message>
  <message>
   <source>worst</source>
   <translation>最差</translation>
  </message>
  <message>
   <source>zero_grad(set_to_none=False) keeps the gradients allocated all the time.</source>
   <translation>zero_grad(set_to_none=False) 使梯度始终处于已分配状态。</translation>
  </message>
  <message>
   <source>{bytes} at the most, in forward or backward; {step_bytes} during the optimizer's update</source>
   <translation>前向或反向中最多 {bytes}；优化器更新期间 {step_bytes}</translation>
  </message>
  <message>
   <source>{bytes} during the optimizer's update</source>
   <translation>优化器更新期间 {bytes}</translation>
  </message>
  <message>
   <source>{component}</source>
   <translation>{component}</translation>
  </message>
  <message>
   <source>{count} arrays have a type NumPy has no name for: 2 bytes count as bf16, 1 byte as a float of unknown kind.</source>
   <translation>{count} 个数组的类型在 NumPy 中没有名称：2 字节按 bf16 计，1 字节按未知种类的浮点数计。</translation>
  </message>
  <message>
   <source>{count} arrays of pickled Python objects (the first is {name}) are not opened and not counted.</source>
   <translation>{count} 个由 pickle 保存的 Python 对象数组（第一个是 {name}）未打开，也未计入。</translation>
  </message>
  <message>
   <source>{count} arrays of texts, dates or raw bytes (the first is {name}) are not counted.</source>
   <translation>{count} 个文本、日期或原始字节数组（第一个是 {name}）未计入。</translation>
  </message>
  <message>
   <source>{count} arrays of unknown element types do not count: {names}.</source>
   <translation>{count} 个数组的元素类型未知，未计入：{names}。</translation>
  </message>
  <message>
   <source>{count} arrays that _METADATA names are not there (the first is {name}); the count is partial.</source>
   <translation>_METADATA 列出的 {count} 个数组不存在（第一个是 {name}）；计数不完整。</translation>
  </message>
  <message>
   <source>{count} blocks that were alive when the recording began were freed in it before anything showed where they end; up to {uncertain_bytes} of them is unknown</source>
   <translation>记录开始时存活的 {count} 个块在能确定其末端之前就已释放；其中最多 {uncertain_bytes} 未知</translation>
  </message>
  <message>
   <source>{count} buffers</source>
   <translation>{count} 个缓冲区</translation>
  </message>
  <message>
   <source>{count} buffers as stored</source>
   <translation>{count} 个缓冲区，按存储时的类型</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{count} bytes follow the array and are not read.</source>
   <translation>数组之后还有 {count} 字节，未读取。</translation>
  </message>
  <message>
   <source>{count} data files are missing or too short (the first is {name}); the counts are from the index.</source>
   <translation>{count} 个数据文件缺失或过短（第一个是 {name}）；数量以索引为准。</translation>
  </message>
  <message>
   <source>{count} data sets hold no numbers and do not count: {names}.</source>
   <translation>{count} 个数据集不含数值，未计入：{names}。</translation>
  </message>
  <message>
   <source>{count} elements are an averaged copy (EMA): kept as buffers, not trained.</source>
   <translation>{count} 个元素是平均副本 (EMA)：作为缓冲区保留，不参与训练。</translation>
  </message>
  <message>
   <source>{count} elements are constants of the graph: kept as buffers, not trained.</source>
   <translation>{count} 个元素是计算图的常量：作为缓冲区保留，不训练。</translation>
  </message>
  <message>
   <source>{count} elements belong to neither model nor optimizer (random states, callbacks) and are not counted.</source>
   <translation>{count} 个元素既不属于模型也不属于优化器（随机状态、回调），未计入。</translation>
  </message>
  <message>
   <source>{count} elements belong to the training part (optimizer state, settings) and are not counted.</source>
   <translation>{count} 个元素属于训练部分（优化器状态、设置），未计入。</translation>
  </message>
  <message>
   <source>{count} elements of master weights ({size_bytes}) are saved beside the optimizer state: a second copy, not counted as parameters.</source>
   <translation>与优化器状态一同保存的主权重有 {count} 个元素（{size_bytes}）：这是第二份副本，不计为参数。</translation>
  </message>
  <message>
   <source>{count} elements of weights x {each} B ({dtype})</source>
   <translation>{count} 个权重元素 x {each} B ({dtype})</translation>
  </message>
  <message>
   <source>{count} elements only serve quantised weights (scales, zero points) and are no parameters.</source>
   <translation>{count} 个元素只服务于量化权重（缩放因子、零点），不是参数。</translation>
  </message>
  <message>
   <source>{count} elements under an average (EMA) are a second copy of the model and not counted.</source>
   <translation>{count} 个平均值 (EMA) 元素是模型的第二份副本，未计入。</translation>
  </message>
  <message>
   <source>{count} events do not lead to the state at the end; parts of the recording are missing</source>
   <translation>{count} 个事件与最终状态不符；记录有缺失</translation>
  </message>
  <message>
   <source>{count} files of experts are counted with the model.</source>
   <translation>{count} 个专家文件与模型一起计入。</translation>
  </message>
  <message>
   <source>{count} in all, {trained_count} trained</source>
   <translation>共 {count} 个，其中训练 {trained_count} 个</translation>
  </message>
  <message>
   <source>{count} links were not followed ({names}): they may lead out of the file.</source>
   <translation>有 {count} 个链接未跟随（{names}）：它们可能指向文件之外。</translation>
  </message>
  <message>
   <source>{count} of {total_count} files of external data are missing (the first is {name}); the counts are from the model.</source>
   <translation>{total_count} 个外部数据文件中缺少 {count} 个（第一个是 {name}）；数量以模型为准。</translation>
  </message>
  <message>
   <source>{count} other weights files were not counted: {names}.</source>
   <translation>{count} 个其他权重文件未计入：{names}。</translation>
  </message>
  <message>
   <source>{count} parameters are packed in blocks ({names}) that take {packed_bytes}; to be trained they are unpacked first.</source>
   <translation>{count} 个参数以块（{names}）打包，占 {packed_bytes}；训练前需先解包。</translation>
  </message>
  <message>
   <source>{count} parameters from config.json; nothing was read from weights.</source>
   <translation>{count} 个参数来自 config.json；没有读取权重。</translation>
  </message>
  <message>
   <source>{count} parameters in {dtypes}</source>
   <translation>{count} 个参数，{dtypes}</translation>
  </message>
  <message>
   <source>{count} parameters x {each} B</source>
   <translation>{count} 个参数 x {each} B</translation>
  </message>
  <message>
   <source>{count} parameters x {each} B ({dtype})</source>
   <translation>{count} 个参数 x {each} B ({dtype})</translation>
  </message>
  <message>
   <source>{count} tensors are not where {file} says (the first is {name}); the headers count.</source>
   <translation>{count} 个张量不在 {file} 所说的位置（第一个是 {name}）；以文件头为准。</translation>
  </message>
  <message>
   <source>{count} tensors have fewer bytes stored than their chunks need (the first is {name}); the data is damaged.</source>
   <translation>{count} 个张量存储的字节少于其各块所需（第一个是 {name}）；数据已损坏。</translation>
  </message>
  <message>
   <source>{count} tensors that share storage in the file are counted on their own.</source>
   <translation>文件中有 {count} 个共享存储的张量，各自单独计数。</translation>
  </message>
  <message>
   <source>{count} tensors that {file} names are in none of its files.</source>
   <translation>{file} 列出的 {count} 个张量不在其任何文件中。</translation>
  </message>
  <message>
   <source>{count} variables hold text or resources and do not count.</source>
   <translation>{count} 个变量保存的是文本或资源，未计入。</translation>
  </message>
  <message>
   <source>{dtype}, as an option says.</source>
   <translation>{dtype}，由选项指定。</translation>
  </message>
  <message>
   <source>{dtype}, as storage_dtype says, whatever the type of the parameter.</source>
   <translation>{dtype}，由 storage_dtype 指定，与参数的类型无关。</translation>
  </message>
  <message>
   <source>{dtype}, by an option of the optimizer.</source>
   <translation>{dtype}，由优化器的选项决定。</translation>
  </message>
  <message>
   <source>{dtype}, whatever the type of the parameter.</source>
   <translation>{dtype}，与参数的类型无关。</translation>
  </message>
  <message>
   <source>{dtype}: 16 bits also where the parameter has 32.</source>
   <translation>{dtype}：即使参数为 32 位，状态也是 16 位。</translation>
  </message>
  <message>
   <source>{dtype}: TensorFlow counts in 64 bits, torch and JAX in 32.</source>
   <translation>{dtype}：TensorFlow 以 64 位计数，torch 和 JAX 以 32 位计数。</translation>
  </message>
  <message>
   <source>{dtype}: fp16 parameters get fp32 state, others their own type.</source>
   <translation>{dtype}：fp16 参数的状态为 fp32，其他参数的状态与自身类型相同。</translation>
  </message>
  <message>
   <source>{dtype}: named by an option, or the rule of the library.</source>
   <translation>{dtype}：由选项指定，或按该库的规则。</translation>
  </message>
  <message>
   <source>{dtype}: the precision scheme forces this type on the moment.</source>
   <translation>{dtype}：精度方案强制该矩使用此类型。</translation>
  </message>
  <message>
   <source>{dtype}: the state takes the type of the parameter that the optimizer updates.</source>
   <translation>{dtype}：状态的类型与优化器所更新的参数相同。</translation>
  </message>
  <message>
   <source>{dtype}: the wider of the types of moment and parameter; two 16-bit types together give fp32.</source>
   <translation>{dtype}：取矩与参数的类型中较宽者；两种不同的 16 位类型合在一起为 fp32。</translation>
  </message>
  <message>
   <source>{field}: no setting is called {name}; known are {known}</source>
   <translation>{field}：没有名为 {name} 的设置；可用的有 {known}</translation>
  </message>
  <message>
   <source>{field}: the backend {given} is not the caching allocator that is modelled here; only native is</source>
   <translation>{field}：后端 {given} 不是这里所模拟的缓存分配器；只支持 native</translation>
  </message>
  <message>
   <source>{field}: {given} is not known; choose one of {known}</source>
   <translation>{field}：无法识别 {given}；请从以下选择：{known}</translation>
  </message>
  <message>
   <source>{field}: {given} is not written as name:value pairs with commas between; write it as PyTorch takes it, such as expandable_segments:True</source>
   <translation>{field}：{given} 不是以逗号分隔的 name:value 形式；请按 PyTorch 的写法填写，例如 expandable_segments:True</translation>
  </message>
  <message>
   <source>{field}: {name} is True or False, not {given}; write one of them</source>
   <translation>{field}：{name} 应为 True 或 False，而不是 {given}；请填写其中之一</translation>
  </message>
  <message>
   <source>{field}: {name} is a whole number of at least {low}, not {given}; change it</source>
   <translation>{field}：{name} 应为不小于 {low} 的整数，而不是 {given}；请更改</translation>
  </message>
  <message>
   <source>{field}: {name} lies between 0 and 1, not at {given}; change it</source>
   <translation>{field}：{name} 应在 0 与 1 之间，而不是 {given}；请更改</translation>
  </message>
  <message>
   <source>{field}: {name} takes powers of two, not {given}; change it</source>
   <translation>{field}：{name} 应为 2 的幂，而不是 {given}；请更改</translation>
  </message>
  <message>
   <source>{file} and {other}: both hold the tensor {name}; remove the file that does not belong</source>
   <translation>{file} 与 {other}：都含有张量 {name}；请移除不属于此处的文件</translation>
  </message>
  <message>
   <source>{file} claims {promised_bytes}; the headers hold {held_bytes}, which is what counts.</source>
   <translation>{file} 声称有 {promised_bytes}；文件头中为 {held_bytes}，以后者为准。</translation>
  </message>
  <message>
   <source>{file} gives no total size; the headers hold {held_bytes}.</source>
   <translation>{file} 没有给出总大小；文件头中共有 {held_bytes}。</translation>
  </message>
  <message>
   <source>{file} is one of {total_count} parts; the others cannot be found by its name. The count is partial.</source>
   <translation>{file} 是 {total_count} 个部分之一；无法根据文件名找到其余部分。计数不完整。</translation>
  </message>
  <message>
   <source>{file} is {missing_count} bytes short of what its header declares (incomplete download?); the counts are from the header.</source>
   <translation>{file} 比文件头所声明的少 {missing_count} 字节（下载未完成？）；数量以文件头为准。</translation>
  </message>
  <message>
   <source>{file} names {count} files of which none is there; another file is read instead.</source>
   <translation>{file} 列出的 {count} 个文件都不存在；改为读取其他文件。</translation>
  </message>
  <message>
   <source>{file}: HDF5 superblock {version} is newer than 3, the last that is known; save it with an older h5py</source>
   <translation>{file}：HDF5 superblock {version} 高于已知的最高版本 3；请用较旧的 h5py 保存</translation>
  </message>
  <message>
   <source>{file}: __metadata__ is no JSON object of texts; write the file again</source>
   <translation>{file}：__metadata__ 不是由文本组成的 JSON 对象；请重新写出该文件</translation>
  </message>
  <message>
   <source>{file}: a TensorFlow graph without variables beside it (frozen for inference); open the checkpoint or SavedModel it was made from</source>
   <translation>{file}：TensorFlow 计算图，旁边没有变量（为推理而冻结）；请打开生成它的检查点或 SavedModel</translation>
  </message>
  <message>
   <source>{file}: a bare pickle that contains code references: {names} - not executed; do not load this file</source>
   <translation>{file}：裸 pickle，且含有代码引用：{names}，均未执行；请勿加载此文件</translation>
  </message>
  <message>
   <source>{file}: a bare pickle, not written by torch.save; save the state dict with torch.save or safetensors</source>
   <translation>{file}：裸 pickle，并非由 torch.save 写出；请用 torch.save 或 safetensors 保存 state dict</translation>
  </message>
  <message>
   <source>{file}: a chunk of {name} lies outside its tensor; the index is damaged or hostile</source>
   <translation>{file}：{name} 的一个块超出其张量范围；索引已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: a tar archive of torch.save before 0.2, which is not read; load it with torch once and save it again</source>
   <translation>{file}：torch 0.2 之前 torch.save 写出的 tar 归档，不支持读取；请用 torch 加载一次并重新保存</translation>
  </message>
  <message>
   <source>{file}: a zip without arrays (.npy), not written by numpy.savez; choose the weights file</source>
   <translation>{file}：zip 中没有数组 (.npy)，并非由 numpy.savez 写出；请选择权重文件</translation>
  </message>
  <message>
   <source>{file}: a zip without data.pkl, not written by torch.save; choose the weights file</source>
   <translation>{file}：zip 中没有 data.pkl，并非由 torch.save 写出；请选择权重文件</translation>
  </message>
  <message>
   <source>{file}: a zip without {record}, not written by Keras 3; save the model again</source>
   <translation>{file}：zip 中没有 {record}，并非由 Keras 3 写出；请重新保存模型</translation>
  </message>
  <message>
   <source>{file}: after {position_count} instructions its pickle has made more than any checkpoint holds; do not load this file</source>
   <translation>{file}：其 pickle 在 {position_count} 条指令之后生成的内容已超过任何检查点；请勿加载此文件</translation>
  </message>
  <message>
   <source>{file}: all {count} files are Git LFS pointers, the weights ({size_bytes}) were not downloaded; run `git lfs pull`</source>
   <translation>{file}：{count} 个文件全是 Git LFS 指针，权重（{size_bytes}）尚未下载；请运行 `git lfs pull`</translation>
  </message>
  <message>
   <source>{file}: an Orbax folder without arrays; choose the step or item folder that holds them</source>
   <translation>{file}：Orbax 文件夹中没有数组；请选择含有数组的步骤文件夹或条目文件夹</translation>
  </message>
  <message>
   <source>{file}: an alignment of {given} is no power of two; the file is damaged or hostile</source>
   <translation>{file}：对齐值 {given} 不是 2 的幂；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: bytes {start} to {stop} before tensor {name} belong to no tensor; the file is damaged</source>
   <translation>{file}：张量 {name} 之前的字节 {start} 到 {stop} 不属于任何张量；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: cannot be read ({cause}); check the path and its permissions</source>
   <translation>{file}：无法读取（{cause}）；请检查路径及其权限</translation>
  </message>
  <message>
   <source>{file}: cannot be read ({cause}); check the permissions or copy it to a local disk</source>
   <translation>{file}：无法读取（{cause}）；请检查权限，或复制到本地磁盘</translation>
  </message>
  <message>
   <source>{file}: cannot be read any more ({why}); put it back, or open another one</source>
   <translation>{file}：已无法读取（{why}）；请将其放回原处，或打开其他文件</translation>
  </message>
  <message>
   <source>{file}: changed on disk since it was read, the figures are of the state before; open it again</source>
   <translation>{file}：读取之后磁盘上的文件已改变，数值仍是之前的状态；请重新打开</translation>
  </message>
  <message>
   <source>{file}: changed while it was read (a download or a save under way?); open it again once it is complete</source>
   <translation>{file}：读取期间文件发生变化（正在下载或保存？）；请在完成后重新打开</translation>
  </message>
  <message>
   <source>{file}: contains code references: {names} - not executed; a snapshot has none, do not load this file</source>
   <translation>{file}：含有代码引用：{names}，均未执行；快照中不应有代码引用，请勿加载此文件</translation>
  </message>
  <message>
   <source>{file}: damaged ({why}); the other results are listed, delete the file or restore it from a backup</source>
   <translation>{file}：已损坏（{why}）；其余结果照常列出，请删除该文件，或从备份恢复</translation>
  </message>
  <message>
   <source>{file}: duplicate tensor name {name}; write the file again with distinct names</source>
   <translation>{file}：张量名 {name} 重复；请使用互不相同的名称重新写出该文件</translation>
  </message>
  <message>
   <source>{file}: event {index} has the action {action}, which is not known; a newer version may read it</source>
   <translation>{file}：事件 {index} 的动作 {action} 未知；较新的版本或许能读取</translation>
  </message>
  <message>
   <source>{file}: has no model_type, so it is no model's config; open the model's folder, its config.json or a weights file</source>
   <translation>{file}：没有 model_type，因此不是模型的配置；请打开模型所在的文件夹、其 config.json 或权重文件</translation>
  </message>
  <message>
   <source>{file}: holds no adapter; give the adapter first and its base model second</source>
   <translation>{file}：其中没有适配器；请先给出适配器，再给出其基座模型</translation>
  </message>
  <message>
   <source>{file}: holds no averaged copy (EMA) of the model; choose its own weights</source>
   <translation>{file}：其中没有模型的平均副本 (EMA)；请选择模型自身的权重</translation>
  </message>
  <message>
   <source>{file}: holds no {name}, so it is no memory snapshot; save one with torch.cuda.memory._dump_snapshot</source>
   <translation>{file}：其中没有 {name}，因此不是显存快照；请用 torch.cuda.memory._dump_snapshot 保存</translation>
  </message>
  <message>
   <source>{file}: is no longer there, the figures are of what was read; put it back, or open another one</source>
   <translation>{file}：已不在原处，数值来自此前读取的内容；请将其放回原处，或打开其他文件</translation>
  </message>
  <message>
   <source>{file}: its HDF5 metadata takes more than {limit_bytes} to read; the file is damaged or hostile</source>
   <translation>{file}：读取其 HDF5 元数据需超过 {limit_bytes}；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: its data.pkl takes {size_bytes}, more than {limit_bytes}; this is no checkpoint</source>
   <translation>{file}：其中的 data.pkl 占 {size_bytes}，超过 {limit_bytes}；这不是检查点</translation>
  </message>
  <message>
   <source>{file}: its directory takes more than {limit_bytes}; this is no checkpoint</source>
   <translation>{file}：其目录超过 {limit_bytes}；这不是检查点</translation>
  </message>
  <message>
   <source>{file}: its tensors have names of more than {limit_count} letters; this is no model</source>
   <translation>{file}：其中张量的名称超过 {limit_count} 个字符；这不是模型</translation>
  </message>
  <message>
   <source>{file}: its versions are kept in numbered files, which is not read; save the checkpoint again with Orbax</source>
   <translation>{file}：其版本保存在带编号的文件中，不支持读取；请用 Orbax 重新保存检查点</translation>
  </message>
  <message>
   <source>{file}: more than {limit_bytes}, too much for a snapshot; record fewer events (max_entries)</source>
   <translation>{file}：超过 {limit_bytes}，对快照而言过大；请减少记录的事件数（max_entries）</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} arrays; this is no checkpoint</source>
   <translation>{file}：超过 {limit_count} 个数组；这不是检查点</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} blocks; record fewer events (max_entries)</source>
   <translation>{file}：内存块超过 {limit_count} 个；请减少记录的事件数（max_entries）</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} devices; the file is damaged or hostile</source>
   <translation>{file}：设备超过 {limit_count} 个；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} entries; choose the model folder or the weights file itself</source>
   <translation>{file}：超过 {limit_count} 个条目；请选择模型文件夹或权重文件本身</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} entries; the store is damaged or hostile</source>
   <translation>{file}：超过 {limit_count} 个条目；存储已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} entries; this is no checkpoint</source>
   <translation>{file}：超过 {limit_count} 个条目；这不是检查点</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} events; record fewer events (max_entries)</source>
   <translation>{file}：事件超过 {limit_count} 个；请减少记录的事件数（max_entries）</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} fields; this is no model, or a hostile one</source>
   <translation>{file}：超过 {limit_count} 个字段；这不是模型，或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} groups and data sets; this is no checkpoint</source>
   <translation>{file}：组和数据集超过 {limit_count} 个；这不是检查点</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} instructions; record fewer events (max_entries)</source>
   <translation>{file}：指令超过 {limit_count} 条；请减少记录的事件数（max_entries）</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} pages mapped and unmapped; record fewer events (max_entries)</source>
   <translation>{file}：映射与解除映射的页超过 {limit_count} 个；请减少记录的事件数（max_entries）</translation>
  </message>
  <message>
   <source>{file}: more than {limit_count} tensors; this is no model</source>
   <translation>{file}：超过 {limit_count} 个张量；这不是模型</translation>
  </message>
  <message>
   <source>{file}: names no checkpoint (model_checkpoint_path is missing); choose an .index file</source>
   <translation>{file}：没有指明检查点（缺少 model_checkpoint_path）；请选择 .index 文件</translation>
  </message>
  <message>
   <source>{file}: names the file {name}, which is outside the folder; do not use this checkpoint</source>
   <translation>{file}：列出了文件夹之外的文件 {name}；请勿使用此检查点</translation>
  </message>
  <message>
   <source>{file}: names the file {name}, which is outside the folder; do not use this index</source>
   <translation>{file}：列出了文件夹之外的文件 {name}；请勿使用此索引</translation>
  </message>
  <message>
   <source>{file}: neither a file nor a folder (a pipe or device); choose a weights file</source>
   <translation>{file}：既不是文件也不是文件夹（而是管道或设备）；请选择权重文件</translation>
  </message>
  <message>
   <source>{file}: neither a pickle of torch.cuda.memory._dump_snapshot nor a .json.gz trace; choose one of these</source>
   <translation>{file}：既不是 torch.cuda.memory._dump_snapshot 的 pickle，也不是 .json.gz 跟踪文件；请选择其中一种</translation>
  </message>
  <message>
   <source>{file}: neither a zip nor a pickle, so not written by torch.save; choose the weights file</source>
   <translation>{file}：既不是 zip 也不是 pickle，因此并非由 torch.save 写出；请选择权重文件</translation>
  </message>
  <message>
   <source>{file}: no HDF5 signature in it, so no .h5 file; download it again</source>
   <translation>{file}：其中没有 HDF5 签名，因此不是 .h5 文件；请重新下载</translation>
  </message>
  <message>
   <source>{file}: no ONNX model, there is no graph in it; choose the model file</source>
   <translation>{file}：不是 ONNX 模型，其中没有计算图；请选择模型文件</translation>
  </message>
  <message>
   <source>{file}: no device has a segment or an event; call _record_memory_history before the run</source>
   <translation>{file}：没有任何设备有内存段或事件；请在运行前调用 _record_memory_history</translation>
  </message>
  <message>
   <source>{file}: no model states among the DeepSpeed files; copy the *_model_states.pt files too</source>
   <translation>{file}：DeepSpeed 文件中没有模型状态；请把 *_model_states.pt 文件也复制过来</translation>
  </message>
  <message>
   <source>{file}: no such file; check the path</source>
   <translation>{file}：没有此文件；请检查路径</translation>
  </message>
  <message>
   <source>{file}: no weights and no config.json of a known family in this folder; choose another</source>
   <translation>{file}：此文件夹中没有权重，也没有已知系列的 config.json；请选择其他文件夹</translation>
  </message>
  <message>
   <source>{file}: no weights in this folder, but in {name}; open that one</source>
   <translation>{file}：此文件夹中没有权重，权重在 {name} 中；请打开后者</translation>
  </message>
  <message>
   <source>{file}: none of its {count} files is there (it promises {promised_bytes}, about {estimate_count} parameters if each takes 2 bytes); download them</source>
   <translation>{file}：其 {count} 个文件一个都不在（索引声明共 {promised_bytes}，若每个参数占 2 字节约为 {estimate_count} 个参数）；请下载它们</translation>
  </message>
  <message>
   <source>{file}: none of its {count} files is there; download them</source>
   <translation>{file}：其 {count} 个文件一个都不在；请下载它们</translation>
  </message>
  <message>
   <source>{file}: none of the modules {names} that the adapter changes is in the base model; choose the base it was trained on</source>
   <translation>{file}：适配器所修改的模块 {names} 在基座模型中一个也没有；请选择训练该适配器时的基座</translation>
  </message>
  <message>
   <source>{file}: not a JSON object; download it again</source>
   <translation>{file}：不是 JSON 对象；请重新下载</translation>
  </message>
  <message>
   <source>{file}: not a checkpoint format that is known; choose one of {known}, a model folder or a config.json</source>
   <translation>{file}：不是已知的检查点格式；请选择 {known}、模型文件夹或 config.json</translation>
  </message>
  <message>
   <source>{file}: not a measurement of OptMem ({why}); open a file that was exported from a measurement</source>
   <translation>{file}：不是 OptMem 的测量结果（{why}）；请打开由测量导出的文件</translation>
  </message>
  <message>
   <source>{file}: not a safetensors file, its first 8 bytes claim a header of {length_count} bytes; choose another file</source>
   <translation>{file}：不是 safetensors 文件，前 8 个字节声称文件头有 {length_count} 字节；请选择其他文件</translation>
  </message>
  <message>
   <source>{file}: not an index of shards (JSON with a weight_map); download it again</source>
   <translation>{file}：不是分片索引（含 weight_map 的 JSON）；请重新下载</translation>
  </message>
  <message>
   <source>{file}: not the description of a zarr array; copy it again from where it was saved</source>
   <translation>{file}：不是 zarr 数组的描述；请从保存位置重新复制</translation>
  </message>
  <message>
   <source>{file}: not the index of a TensorFlow checkpoint (its last bytes are wrong); copy it again</source>
   <translation>{file}：不是 TensorFlow 检查点的索引（末尾字节不对）；请重新复制</translation>
  </message>
  <message>
   <source>{file}: not the index of a torch distributed checkpoint; copy it again from where it was saved</source>
   <translation>{file}：不是 torch 分布式检查点的索引；请从保存位置重新复制</translation>
  </message>
  <message>
   <source>{file}: not the msgpack of a Flax model at byte {position_count} (cut short or damaged); download it again</source>
   <translation>{file}：在第 {position_count} 字节处不是 Flax 模型的 msgpack（被截断或已损坏）；请重新下载</translation>
  </message>
  <message>
   <source>{file}: not the settings of a PEFT adapter; save the adapter again</source>
   <translation>{file}：不是 PEFT 适配器的设置；请重新保存适配器</translation>
  </message>
  <message>
   <source>{file}: nothing was recorded for device {device}; recorded are {known}</source>
   <translation>{file}：没有设备 {device} 的记录；有记录的为 {known}</translation>
  </message>
  <message>
   <source>{file}: only weights in formats that are not read yet ({names}); get the safetensors version</source>
   <translation>{file}：只有尚不支持读取的格式的权重（{names}）；请获取 safetensors 版本</translation>
  </message>
  <message>
   <source>{file}: points to {name}, which is not there; choose one of the folders beside it</source>
   <translation>{file}：指向不存在的 {name}；请选择旁边的一个文件夹</translation>
  </message>
  <message>
   <source>{file}: several checkpoints ({names}); choose one of the files</source>
   <translation>{file}：有多个检查点（{names}）；请选择其中一个文件</translation>
  </message>
  <message>
   <source>{file}: tensor {name} claims more than 1e18 elements; the file is damaged or hostile</source>
   <translation>{file}：张量 {name} 声称超过 1e18 个元素；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: tensor {name} has a shape that is no list of counts; write the file again</source>
   <translation>{file}：张量 {name} 的形状不是由尺寸构成的列表；请重新写出该文件</translation>
  </message>
  <message>
   <source>{file}: tensor {name} has data_offsets that are no range; write the file again</source>
   <translation>{file}：张量 {name} 的 data_offsets 不是有效区间；请重新写出该文件</translation>
  </message>
  <message>
   <source>{file}: tensor {name} has the unknown element type {dtype}; a newer version may read it</source>
   <translation>{file}：张量 {name} 的元素类型 {dtype} 未知；较新的版本或许能读取</translation>
  </message>
  <message>
   <source>{file}: tensor {name} has {given_count} dimensions, {limit_count} are the most; the file is damaged or hostile</source>
   <translation>{file}：张量 {name} 有 {given_count} 维，最多 {limit_count} 维；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: tensor {name} lacks its dtype, shape or data_offsets; write the file again</source>
   <translation>{file}：张量 {name} 缺少 dtype、shape 或 data_offsets；请重新写出该文件</translation>
  </message>
  <message>
   <source>{file}: tensor {name} of the unknown type {number} claims more elements than its bytes can hold; the file is damaged</source>
   <translation>{file}：未知类型 {number} 的张量 {name} 声称的元素数超过其字节所能容纳；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: tensor {name} of type {dtype} and shape {shape} does not fit its {held_count} bytes; the file is damaged</source>
   <translation>{file}：类型 {dtype}、形状 {shape} 的张量 {name} 与其 {held_count} 字节不符；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: tensor {name} reaches beyond its storage; the file is damaged or hostile</source>
   <translation>{file}：张量 {name} 超出其存储范围；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: tensors {first} and {second} overlap in the data; the file is damaged</source>
   <translation>{file}：张量 {first} 与 {second} 的数据重叠；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: the HDF5 metadata makes no sense at byte {position_count}; download the file again</source>
   <translation>{file}：HDF5 元数据在第 {position_count} 字节处无法解析；请重新下载该文件</translation>
  </message>
  <message>
   <source>{file}: the JSON is nested too deeply for a header; this file is damaged or hostile</source>
   <translation>{file}：JSON 嵌套过深，不可能是文件头；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: the OCDBT store is damaged or of a newer format; copy the folder again</source>
   <translation>{file}：OCDBT 存储已损坏，或格式较新；请重新复制文件夹</translation>
  </message>
  <message>
   <source>{file}: the adapter changes {name} ({given}), the base model has {known}; choose the base it was trained on</source>
   <translation>{file}：适配器修改 {name}（{given}），而基座模型为 {known}；请选择训练该适配器时的基座</translation>
  </message>
  <message>
   <source>{file}: the blocks of the segment at {address} do not add up to its {size_count} bytes; the file is damaged</source>
   <translation>{file}：位于 {address} 的内存段，各块之和不等于其 {size_count} 字节；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: the family {family} is not known here; open the weights, or install transformers in the Python you train with</source>
   <translation>{file}：这里不认识 {family} 系列；请打开权重，或在训练所用的 Python 中安装 transformers</translation>
  </message>
  <message>
   <source>{file}: the file ends after the length of its header ({length_count} bytes); download it again</source>
   <translation>{file}：文件在文件头长度（{length_count} 字节）之后就结束了；请重新下载</translation>
  </message>
  <message>
   <source>{file}: the file ends early or is damaged; copy it again</source>
   <translation>{file}：文件提前结束或已损坏；请重新复制</translation>
  </message>
  <message>
   <source>{file}: the file ends inside its header; download it again</source>
   <translation>{file}：文件在文件头之内就结束了；请重新下载</translation>
  </message>
  <message>
   <source>{file}: the file is empty; download it again</source>
   <translation>{file}：文件为空；请重新下载</translation>
  </message>
  <message>
   <source>{file}: the file is empty; record the snapshot again</source>
   <translation>{file}：文件为空；请重新记录快照</translation>
  </message>
  <message>
   <source>{file}: the header declares {data_bytes} of data, the file holds {held_bytes}; download it again</source>
   <translation>{file}：文件头声明有 {data_bytes} 数据，文件中只有 {held_bytes}；请重新下载</translation>
  </message>
  <message>
   <source>{file}: the header is not a JSON object of tensors; download the file again</source>
   <translation>{file}：文件头不是由张量构成的 JSON 对象；请重新下载该文件</translation>
  </message>
  <message>
   <source>{file}: the header is not valid JSON; download the file again</source>
   <translation>{file}：文件头不是有效的 JSON；请重新下载该文件</translation>
  </message>
  <message>
   <source>{file}: the header makes no sense at byte {position_count}; the file is damaged or hostile</source>
   <translation>{file}：文件头在第 {position_count} 字节处无法解析；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: the header should take {length_count} bytes, only {rest_count} are there; download it again</source>
   <translation>{file}：文件头应占 {length_count} 字节，实际只有 {rest_count}；请重新下载</translation>
  </message>
  <message>
   <source>{file}: the header takes {length_count} bytes, the format allows {limit_count}; split the file</source>
   <translation>{file}：文件头占 {length_count} 字节，格式只允许 {limit_count}；请拆分文件</translation>
  </message>
  <message>
   <source>{file}: the header takes {length_count} bytes; those of models take less than {limit_count}, so this is none</source>
   <translation>{file}：文件头占 {length_count} 字节；模型的文件头小于 {limit_count} 字节，因此这不是模型</translation>
  </message>
  <message>
   <source>{file}: the index is compressed in a way that is not known; save the checkpoint again</source>
   <translation>{file}：索引以未知方式压缩；请重新保存检查点</translation>
  </message>
  <message>
   <source>{file}: the index of variables is damaged; copy it again</source>
   <translation>{file}：变量索引已损坏；请重新复制</translation>
  </message>
  <message>
   <source>{file}: the pickle makes no sense after {position_count} instructions; download the file again</source>
   <translation>{file}：pickle 在第 {position_count} 条指令之后无法解析；请重新下载该文件</translation>
  </message>
  <message>
   <source>{file}: the rows of tensor {name} are no whole number of {dtype} blocks; the file is damaged</source>
   <translation>{file}：张量 {name} 的行不是整数个 {dtype} 块；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: the segments at {first} and {second} overlap; the file is damaged</source>
   <translation>{file}：位于 {first} 与 {second} 的内存段重叠；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: the zip has no central directory (incomplete download); download it again</source>
   <translation>{file}：zip 没有中央目录（下载未完成）；请重新下载</translation>
  </message>
  <message>
   <source>{file}: the zip is encrypted; decrypt it first</source>
   <translation>{file}：zip 已加密；请先解密</translation>
  </message>
  <message>
   <source>{file}: this is a Git LFS pointer, the weights ({size_bytes}) were not downloaded; run `git lfs pull`</source>
   <translation>{file}：这是 Git LFS 指针，权重（{size_bytes}）尚未下载；请运行 `git lfs pull`</translation>
  </message>
  <message>
   <source>{file}: this is a {kind} file, which is not read yet; choose the safetensors or PyTorch version</source>
   <translation>{file}：这是 {kind} 文件，尚不支持读取；请选择 safetensors 或 PyTorch 版本</translation>
  </message>
  <message>
   <source>{file}: this link leads to a file that is missing in the cache; download the model again</source>
   <translation>{file}：此链接指向缓存中缺失的文件；请重新下载模型</translation>
  </message>
  <message>
   <source>{file}: version {version} of GGUF is not known (1 to 3 are); a newer version may read it</source>
   <translation>{file}：未知的 GGUF 版本 {version}（已知 1 到 3）；较新的版本或许能读取</translation>
  </message>
  <message>
   <source>{file}: written by OptMem {program} (version {given} of the file, this program knows {known}); update the program to open it</source>
   <translation>{file}：由 OptMem {program} 写出（文件版本 {given}，本程序支持到 {known}）；请更新程序后再打开</translation>
  </message>
  <message>
   <source>{file}: written on a big-endian machine; save it again on another</source>
   <translation>{file}：由大端序机器写出；请在其他机器上重新保存</translation>
  </message>
  <message>
   <source>{file}: {count} bytes follow the last tensor; the file is damaged or not safetensors</source>
   <translation>{file}：最后一个张量之后还有 {count} 字节；文件已损坏，或不是 safetensors</translation>
  </message>
  <message>
   <source>{file}: {count} snapshots and no refs/main; choose one of the folders in snapshots</source>
   <translation>{file}：有 {count} 个快照而没有 refs/main；请选择 snapshots 中的一个文件夹</translation>
  </message>
  <message>
   <source>{file}: {field} is missing; add it, or open the weights instead</source>
   <translation>{file}：缺少 {field}；请补上，或改为打开权重</translation>
  </message>
  <message>
   <source>{file}: {field} is not what a snapshot holds there; the file is damaged or hostile</source>
   <translation>{file}：{field} 不是快照在该处应有的内容；文件已损坏，或被恶意构造</translation>
  </message>
  <message>
   <source>{file}: {field} is {given}, not a usable count; correct it, or open the weights instead</source>
   <translation>{file}：{field} 为 {given}，不是可用的数量；请更正，或改为打开权重</translation>
  </message>
  <message>
   <source>{file}: {given} is no usable place in a file of external data; export the model again</source>
   <translation>{file}：{given} 不是外部数据文件中的可用位置；请重新导出模型</translation>
  </message>
  <message>
   <source>{file}: {missing_bytes} of this data file are missing; copy the folder again</source>
   <translation>{file}：此数据文件缺少 {missing_bytes}；请重新复制文件夹</translation>
  </message>
  <message>
   <source>{file}: {name} declares {data_bytes} of data and holds {held_bytes}; the file is damaged</source>
   <translation>{file}：{name} 声明有 {data_bytes} 数据，实际只有 {held_bytes}；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: {name} does not begin as a NumPy array does; the file is damaged</source>
   <translation>{file}：{name} 的开头不是 NumPy 数组；文件已损坏</translation>
  </message>
  <message>
   <source>{file}: {name} holds pickled Python objects, which are not executed; save plain arrays</source>
   <translation>{file}：{name} 含有 pickle 保存的 Python 对象，不会执行；请保存为普通数组</translation>
  </message>
  <message>
   <source>{file}: {name} is no Zarr description of an array; copy the folder again</source>
   <translation>{file}：{name} 不是 Zarr 的数组描述；请重新复制文件夹</translation>
  </message>
  <message>
   <source>{file}: {record} cannot be taken out of the zip; download the file again</source>
   <translation>{file}：无法从 zip 中取出 {record}；请重新下载该文件</translation>
  </message>
  <message>
   <source>{file}: {record} does not match its checksum; download the file again</source>
   <translation>{file}：{record} 与其校验和不符；请重新下载该文件</translation>
  </message>
  <message>
   <source>{file}: {record} is compressed inside the zip, so its header cannot be read alone; unzip it and open {record}</source>
   <translation>{file}：{record} 在 zip 中被压缩，无法只读取其文件头；请解压后打开 {record}</translation>
  </message>
  <message>
   <source>{file}: {record} takes {packed_bytes} and would unpack to {size_bytes}, as no checkpoint does; do not load this file</source>
   <translation>{file}：{record} 占 {packed_bytes}，解压后将达 {size_bytes}，检查点不会如此；请勿加载此文件</translation>
  </message>
  <message>
   <source>{file}: {size_bytes} is more than a measurement has ({limit_bytes}); it was not read</source>
   <translation>{file}：{size_bytes}，超过测量结果可能的大小（{limit_bytes}）；未读取</translation>
  </message>
  <message>
   <source>{file}: {size_bytes} is more than the {limit_bytes} such a file may have; choose the weights file itself</source>
   <translation>{file}：{size_bytes} 超过此类文件的上限 {limit_bytes}；请选择权重文件本身</translation>
  </message>
  <message>
   <source>{file}: {size_bytes} of JSON; more than {limit_bytes} or {limit_count} values are not read, no model has them</source>
   <translation>{file}：JSON 有 {size_bytes}；超过 {limit_bytes} 或 {limit_count} 个值便不读取，任何模型都达不到</translation>
  </message>
  <message>
   <source>{file}: {size_count} bytes are fewer than the 8 that begin a safetensors file; download it again</source>
   <translation>{file}：只有 {size_count} 字节，不足 safetensors 文件开头的 8 字节；请重新下载</translation>
  </message>
  <message>
   <source>{file}: {tensor_count} tensors and {field_count} fields do not fit into {size_bytes}; the file is damaged or hostile</source>
   <translation>{file}：{tensor_count} 个张量和 {field_count} 个字段放不进 {size_bytes}；文件已损坏或被恶意构造</translation>
  </message>
  <message>
   <source>{given} begins {number_count} measurements; give more of the id</source>
   <translation>有 {number_count} 个测量结果以 {given} 开头；请给出更长的 id</translation>
  </message>
  <message>
   <source>{given} each name a model; keep one of them</source>
   <translation>{given} 各自指定了一个模型；请只保留一个</translation>
  </message>
  <message>
   <source>{given} elements are too many; at most {limit_count}</source>
   <translation>{given} 个元素太多；最多 {limit_count} 个</translation>
  </message>
  <message>
   <source>{given} is no number of elements; write for example 7B, or a product such as 2 x 32 x 8 x 128</source>
   <translation>{given} 不是元素个数；请填写例如 7B，或 2 x 32 x 8 x 128 这样的乘积</translation>
  </message>
  <message>
   <source>{given} is no option of `{command}`; did you mean {near}?</source>
   <translation>`{command}` 没有选项 {given}；您是否想用 {near}？</translation>
  </message>
  <message>
   <source>{given}: is neither a file nor a subcommand; did you mean `optmem {near}`?</source>
   <translation>{given}：既不是文件也不是子命令；您是否想用 `optmem {near}`？</translation>
  </message>
  <message>
   <source>{given}: not a regular expression ({why}); correct it</source>
   <translation>{given}：不是正则表达式（{why}）；请更正</translation>
  </message>
  <message>
   <source>{head} is saved although the model ties it to {embedding}: counted once.</source>
   <translation>{head} 也被保存，但模型将其与 {embedding} 绑定共享：只计一次。</translation>
  </message>
  <message>
   <source>{kind} adapter, rank {rank}, on {targets}; base model: {base}.</source>
   <translation>{kind} 适配器，秩 {rank}，作用于 {targets}；基座模型：{base}。</translation>
  </message>
  <message>
   <source>{left} more lines: export as HTML for all of them</source>
   <translation>另有 {left} 行：导出为 HTML 可查看全部</translation>
  </message>
  <message>
   <source>{library}</source>
   <translation>{library}</translation>
  </message>
  <message>
   <source>{library}, figures</source>
   <translation>{library}（数值）</translation>
  </message>
  <message>
   <source>{library}, here</source>
   <translation>{library}（此计算机）</translation>
  </message>
  <message>
   <source>{library}, recorded</source>
   <translation>{library}（记录）</translation>
  </message>
  <message>
   <source>{low_bytes} to {high_bytes}</source>
   <translation>{low_bytes} 至 {high_bytes}</translation>
  </message>
  <message>
   <source>{low} to {high}</source>
   <translation>{low} 至 {high}</translation>
  </message>
  <message>
   <source>{missing_count} of {total_count} data files missing: {names}. The counts are from the index.</source>
   <translation>{total_count} 个数据文件中缺少 {missing_count} 个：{names}。数量以索引为准。</translation>
  </message>
  <message>
   <source>{missing_count} of {total_count} shards missing: {names}. The count is partial.</source>
   <translation>{total_count} 个分片中缺少 {missing_count} 个：{names}。计数不完整。</translation>
  </message>
  <message>
   <source>{names}</source>
   <translation>{names}</translation>
  </message>
  <message>
   <source>{names} ({kind}): {what}</source>
   <translation>{names}（{kind}）：{what}</translation>
  </message>
  <message>
   <source>{name} and others hold {count} whole numbers, packed in a way that is not known: stored elements, not parameters.</source>
   <translation>{name} 等张量含有 {count} 个整数，打包方式未知：这是存储元素数，不是参数量。</translation>
  </message>
  <message>
   <source>{name} as {library} builds it.</source>
   <translation>{name}，按 {library} 的构建方式。</translation>
  </message>
  <message>
   <source>{name} is an expanded view: logical elements are counted, its storage is smaller.</source>
   <translation>{name} 是扩展视图：按逻辑元素计数，其存储更小。</translation>
  </message>
  <message>
   <source>{name}, bytes</source>
   <translation>{name}，字节</translation>
  </message>
  <message>
   <source>{name}: {count} elements in {dtype}</source>
   <translation>{name}：{count} 个 {dtype} 元素</translation>
  </message>
  <message>
   <source>{name}: {given} is no type; choose one of {known}</source>
   <translation>{name}：{given} 不是类型；请选择 {known} 之一</translation>
  </message>
  <message>
   <source>{optimizer} allocates one average where AdEMAMix needs two (bitsandbytes 0.50.2) and fails on the CPU; bitsandbytes.AdEMAMix has the right state.</source>
   <translation>{optimizer} 只分配一份滑动平均，而 AdEMAMix 需要两份（bitsandbytes 0.50.2），在 CPU 上会失败；bitsandbytes.AdEMAMix 的状态是正确的。</translation>
  </message>
  <message>
   <source>{optimizer} also keeps a pinned copy of every offloaded weight and of its gradient in host memory; they are not counted here.</source>
   <translation>{optimizer} 还在主机内存中为每份卸载的权重及其梯度保留锁页副本；这里未计入。</translation>
  </message>
  <message>
   <source>{optimizer} computes its step from the loss: pass step() a closure that returns it.</source>
   <translation>{optimizer} 根据损失计算更新：请向 step() 传入返回损失的闭包。</translation>
  </message>
  <message>
   <source>{optimizer} does not run here ({cause}); its state and scratch follow the catalogue's rules, the rest is traced</source>
   <translation>{optimizer} 无法在此运行（{cause}）；其状态与暂存内存按目录中的规则计算，其余为追踪结果</translation>
  </message>
  <message>
   <source>{optimizer} does not run in torch: only its state is predicted, not what its step takes nor the peak.</source>
   <translation>{optimizer} 不在 torch 中运行：只预测其状态，不预测其更新所需的内存，也不预测峰值。</translation>
  </message>
  <message>
   <source>{optimizer} ends in an error on 16-bit sharded tensors of {shard} (torch 2.13, torchao 0.18); choose amp-bf16 or fp32, which keep fp32 parameters</source>
   <translation>{optimizer} 遇到 {shard} 的 16 位分片张量会报错 (torch 2.13, torchao 0.18)；请选择保留 fp32 参数的 amp-bf16 或 fp32</translation>
  </message>
  <message>
   <source>{optimizer} ends in an error on the sharded tensors of {shard} (torch 2.13) while foreach is on; set foreach to False</source>
   <translation>启用 foreach 时，{optimizer} 在 {shard} 的分片张量上会出错 (torch 2.13)；请将 foreach 设为 False</translation>
  </message>
  <message>
   <source>{optimizer} ends in an error on the sharded tensors of {shard} (torch 2.13); use ddp, zero-redundancy or an optimizer of torch.optim such as AdamW</source>
   <translation>{optimizer} 遇到 {shard} 的分片张量会报错 (torch 2.13)；请使用 ddp、zero-redundancy，或 AdamW 等 torch.optim 中的优化器</translation>
  </message>
  <message>
   <source>{optimizer} evaluates the model again in each of its iterations: pass a closure to step(); its activations are alive inside the step.</source>
   <translation>{optimizer} 在每次迭代中都会重新计算模型：请向 step() 传入闭包；其激活值在优化器更新中存活。</translation>
  </message>
  <message>
   <source>{optimizer} fails on tensors that are neither vectors nor matrices and {tensor} has shape {shape}; choose transformers.Adafactor or another optimizer</source>
   <translation>{optimizer} 遇到既非向量也非矩阵的张量会失败，而 {tensor} 的形状为 {shape}；请选择 transformers.Adafactor 或其他优化器</translation>
  </message>
  <message>
   <source>{optimizer} is your own entry, found by probing with the options it was given; its step was measured on a CPU with two equal matrices.</source>
   <translation>{optimizer} 是您自己添加的条目，由探测得出，探测时使用当时给出的选项；其更新是在 CPU 上用两个相同的矩阵实测的。</translation>
  </message>
  <message>
   <source>{optimizer} keeps nothing</source>
   <translation>{optimizer} 不保留任何状态</translation>
  </message>
  <message>
   <source>{optimizer} keeps nothing from step to step with these options.</source>
   <translation>使用这些选项时，{optimizer} 在步与步之间不保留任何内容。</translation>
  </message>
  <message>
   <source>{optimizer} keeps the projector of every whole matrix on each rank of {shard}, which is not counted together with tensor parallelism; set tp to 1 or use ddp</source>
   <translation>使用 {shard} 时，{optimizer} 在每个 rank 上保留每个完整矩阵的投影矩阵，与张量并行同时使用时这部分未计入；请把 tp 设为 1，或改用 ddp</translation>
  </message>
  <message>
   <source>{optimizer} keeps the projectors of every whole matrix on each rank; of moments a rank has its rows where the projection is from the right, else all. Proven on 2 and 4 processes. Not counted: whole gradients and factors of a step that makes new projectors.</source>
   <translation>{optimizer} 在每个 rank 上保留每个完整矩阵的投影矩阵；对于矩，从右侧投影时每个 rank 只有自己的行，否则为全部。已在 2 个和 4 个进程上验证。未计入：重新计算投影矩阵的那一步所用的完整梯度和因子。</translation>
  </message>
  <message>
   <source>{optimizer} keeps {total_bytes} from step to step.</source>
   <translation>{optimizer} 在步与步之间保留 {total_bytes}。</translation>
  </message>
  <message>
   <source>{optimizer} looks at rows and columns; its state is counted for the rows this rank holds. Not yet compared with a run.</source>
   <translation>{optimizer} 按行和列处理矩阵；其状态按此 rank 所持有的行计算。尚未与实际运行对比。</translation>
  </message>
  <message>
   <source>{optimizer} needs whole rows and columns, but {shard} cuts parameters as one flat vector; DeepSpeed's own Muon, which runs there, is not counted: use ddp or zero-redundancy</source>
   <translation>{optimizer} 需要完整的行和列，而 {shard} 把参数当作一个扁平向量切分；DeepSpeed 自带的 Muon 可以在其中运行，但未计入：请改用 ddp 或 zero-redundancy</translation>
  </message>
  <message>
   <source>{optimizer} needs whole rows and columns, but {shard} cuts parameters as one flat vector; use ddp or zero-redundancy, or an element-wise optimizer</source>
   <translation>{optimizer} 需要完整的行和列，而 {shard} 把参数当作一个扁平向量切分；请使用 ddp 或 zero-redundancy，或改用逐元素的优化器</translation>
  </message>
  <message>
   <source>{optimizer} puts its state on the GPU by itself and runs nowhere else.</source>
   <translation>{optimizer} 自行把状态放在 GPU 上，不能在别处运行。</translation>
  </message>
  <message>
   <source>{optimizer} refused such parameters when it was probed: {tensor} has shape {shape}; train it with another optimizer</source>
   <translation>{optimizer} 在探测时拒绝了这样的参数：{tensor} 的形状为 {shape}；请用其他优化器训练它</translation>
  </message>
  <message>
   <source>{optimizer} steps in another runtime, which is not predicted.</source>
   <translation>{optimizer} 在另一运行时中更新，不作预测。</translation>
  </message>
  <message>
   <source>{optimizer} takes bf16 parameters only; with others its step stops. Choose bf16.</source>
   <translation>{optimizer} 只接受 bf16 参数；对其他类型，更新会中止。请选择 bf16。</translation>
  </message>
  <message>
   <source>{optimizer} takes fp32 parameters only; others raise an error in the step.</source>
   <translation>{optimizer} 只接受 fp32 参数；其他类型会在更新时报错。</translation>
  </message>
  <message>
   <source>{optimizer} takes sparse gradients only (Embedding with sparse=True); dense gradients raise an error in the step.</source>
   <translation>{optimizer} 只接受稀疏梯度（sparse=True 的 Embedding）；稠密梯度会在更新时报错。</translation>
  </message>
  <message>
   <source>{optimizer} trains matrices only and {tensor} has shape {shape}; train such tensors with AdamW beside it, or choose another optimizer</source>
   <translation>{optimizer} 只训练矩阵，而 {tensor} 的形状为 {shape}；请另用 AdamW 训练这类张量，或选择其他优化器</translation>
  </message>
  <message>
   <source>{optimizer} updates each parameter in backward and drops its gradient there. The estimate counts all gradients up to the step, and the update's copies in it; a measurement shows what it really takes.</source>
   <translation>{optimizer} 在反向中更新每个参数，并随即丢弃其梯度。估算值把全部梯度计到优化器更新为止，更新所用的副本也计在其中；实际占用以测量为准。</translation>
  </message>
  <message>
   <source>{optimizer} was not seen to train {dtype} parameters, only {known}; choose another precision</source>
   <translation>探测时未见 {optimizer} 训练 {dtype} 参数，只见过 {known}；请选择其他精度</translation>
  </message>
  <message>
   <source>{optimizer}: a tensor learning rate with foreach=true needs capturable=true; set it, or leave foreach alone</source>
   <translation>{optimizer}：学习率为张量且 foreach=true 时需要 capturable=true；请设置它，或不要设置 foreach</translation>
  </message>
  <message>
   <source>{optimizer}: an estimate from its source.</source>
   <translation>{optimizer}：据其源码估算。</translation>
  </message>
  <message>
   <source>{optimizer}: capturable=true needs parameters on a GPU; switch it off or choose cuda</source>
   <translation>{optimizer}：capturable=true 要求参数位于 GPU；请关闭它，或选择 cuda</translation>
  </message>
  <message>
   <source>{optimizer}: close to the bytes alive in real steps, not exact.</source>
   <translation>{optimizer}：与真实更新中存活的字节数接近，但不精确。</translation>
  </message>
  <message>
   <source>{optimizer}: fused and foreach cannot both be true; switch one off</source>
   <translation>{optimizer}：fused 与 foreach 不能同时为 true；请关闭其中一个</translation>
  </message>
  <message>
   <source>{optimizer}: master_weight_bits must be 24 or 32; the library knows no other width</source>
   <translation>{optimizer}：master_weight_bits 必须为 24 或 32；该库不支持其他位宽</translation>
  </message>
  <message>
   <source>{optimizer}: master_weights needs capturable; set capturable=true or leave master_weights off</source>
   <translation>{optimizer}：master_weights 需要 capturable；请设置 capturable=true，或关闭 master_weights</translation>
  </message>
  <message>
   <source>{optimizer}: nesterov needs momentum above 0 and dampening 0; set momentum=0.9 or switch nesterov off</source>
   <translation>{optimizer}：nesterov 要求 momentum 大于 0 且 dampening 为 0；请设置 momentum=0.9，或关闭 nesterov</translation>
  </message>
  <message>
   <source>{optimizer}: optim_bits must be 8 or 32; the library knows no other width</source>
   <translation>{optimizer}：optim_bits 必须为 8 或 32；该库不支持其他位宽</translation>
  </message>
  <message>
   <source>{optimizer}: store_param_remainders does not go with capturable; switch one off</source>
   <translation>{optimizer}：store_param_remainders 不能与 capturable 同时使用；请关闭其中一个</translation>
  </message>
  <message>
   <source>{optimizer}: {source}</source>
   <translation>{optimizer}：{source}</translation>
  </message>
  <message>
   <source>{optimizer}: {states}</source>
   <translation>{optimizer}：{states}</translation>
  </message>
  <message>
   <source>{option} is not available yet; leave it out</source>
   <translation>{option} 尚不可用；请去掉</translation>
  </message>
  <message>
   <source>{option} takes one scenario; give one .optmem file, or leave it out</source>
   <translation>{option} 只接受一个方案；请只给出一个 .optmem 文件，或去掉该选项</translation>
  </message>
  <message>
   <source>{option}: needs --lora-rank; add it, such as `--lora-rank 16`</source>
   <translation>{option}：需要 --lora-rank；请加上，例如 `--lora-rank 16`</translation>
  </message>
  <message>
   <source>{option}: {given} is no size; write a number with a unit, such as 128GiB or 512GB</source>
   <translation>{option}：{given} 不是大小；请填写带单位的数，例如 128GiB 或 512GB</translation>
  </message>
  <message>
   <source>{option}: {given} is not a number; write one such as {example}</source>
   <translation>{option}：{given} 不是数字；请填写 {example} 这样的数</translation>
  </message>
  <message>
   <source>{option}: {given} is not a whole number from {low} to {high}</source>
   <translation>{option}：{given} 不是 {low} 到 {high} 之间的整数</translation>
  </message>
  <message>
   <source>{option}: {given} is not between 1 and {high}</source>
   <translation>{option}：{given} 不在 1 到 {high} 之间</translation>
  </message>
  <message>
   <source>{option}: {given} is not in the catalogue; choose one of {known}</source>
   <translation>{option}：目录中没有 {given}；请选择 {known} 之一</translation>
  </message>
  <message>
   <source>{option}: {given} is not known; did you mean {near}?</source>
   <translation>{option}：无法识别 {given}；您是否想用 {near}？</translation>
  </message>
  <message>
   <source>{path} could not be read ({why}); it was set aside as {aside}, measure again to calibrate</source>
   <translation>无法读取 {path}（{why}）；已将其另存为 {aside}，重新测量即可校准</translation>
  </message>
  <message>
   <source>{path} could not be read ({why}); predictions go on without what was calibrated</source>
   <translation>无法读取 {path}（{why}）；预测将不使用校准结果继续进行</translation>
  </message>
  <message>
   <source>{path} was written by a newer OptMem; what this version does not know is kept as it is</source>
   <translation>{path} 由更新版本的 OptMem 写出；本版本不认识的内容原样保留</translation>
  </message>
  <message>
   <source>{path}: cannot be read ({cause}); check the file and its permissions</source>
   <translation>{path}：无法读取（{cause}）；请检查文件及其权限</translation>
  </message>
  <message>
   <source>{path}: cannot be read ({why}); check that it is a file and that you may read it</source>
   <translation>{path}：无法读取（{why}）；请确认它是文件，且您有读取权限</translation>
  </message>
  <message>
   <source>{path}: cannot be written ({why}); choose another folder or name</source>
   <translation>{path}：无法写入（{why}）；请选择其他文件夹或名称</translation>
  </message>
  <message>
   <source>{path}: cannot stand beside the present scenario: {reason}</source>
   <translation>{path}：无法与当前方案并列对比：{reason}</translation>
  </message>
  <message>
   <source>{path}: did not answer for {seconds} seconds while it was probed and was stopped; nothing was added</source>
   <translation>{path}：探测时 {seconds} 秒没有响应，已被停止；未添加任何内容</translation>
  </message>
  <message>
   <source>{path}: importing its module raised an error ({cause}); correct the module, or choose the Python that has it</source>
   <translation>{path}：导入其模块时出错（{cause}）；请更正该模块，或选择装有它的 Python</translation>
  </message>
  <message>
   <source>{path}: is code that would be run, and nobody can be asked here; add --yes if you want that</source>
   <translation>{path}：这是将要运行的代码，而此处无法征求确认；若确要运行，请加上 --yes</translation>
  </message>
  <message>
   <source>{path}: is damaged or was only half written ({why}); save the scenario again</source>
   <translation>{path}：已损坏或只写入了一半（{why}）；请重新保存方案</translation>
  </message>
  <message>
   <source>{path}: is not an OptMem scenario ({why}); choose a file that OptMem saved</source>
   <translation>{path}：不是 OptMem 方案（{why}）；请选择由 OptMem 保存的文件</translation>
  </message>
  <message>
   <source>{path}: is there already; choose another name, or add --overwrite</source>
   <translation>{path}：已存在；请换一个名称，或加上 --overwrite</translation>
  </message>
  <message>
   <source>{path}: larger than {most_bytes}, which no config is; open the config.json of a model</source>
   <translation>{path}：大于 {most_bytes}，配置文件不会这么大；请打开模型的 config.json</translation>
  </message>
  <message>
   <source>{path}: measurements cannot be kept there ({why}); they stay in memory until the window closes, export those you need</source>
   <translation>{path}：无法在此保存测量结果（{why}）；结果只保留在内存中，关闭窗口即丢失，请导出需要的结果</translation>
  </message>
  <message>
   <source>{path}: only an adapter and its base model go together; give one file, or the folder they lie in</source>
   <translation>{path}：只有适配器与其基座模型可以一起给出；请给出一个文件，或它们所在的文件夹</translation>
  </message>
  <message>
   <source>{path}: pictures and PDF are drawn by the window (File &gt; Export); here one of {known}</source>
   <translation>{path}：图片和 PDF 由窗口绘制（文件 &gt; 导出）；此处请使用 {known} 之一</translation>
  </message>
  <message>
   <source>{path}: raised an error for every parameter it was given ({cause}); correct the class, or give the options it needs</source>
   <translation>{path}：对所给的每个参数都报错（{cause}）；请更正该类，或给出它所需的选项</translation>
  </message>
  <message>
   <source>{path}: the ending names no format; write one of {known}</source>
   <translation>{path}：扩展名不对应任何格式；请使用 {known} 之一</translation>
  </message>
  <message>
   <source>{path}: the model changed since the scenario was saved; what the scenario stored is used until you open the model again</source>
   <translation>{path}：保存方案后模型已改变；在您重新打开模型之前，使用方案中保存的内容</translation>
  </message>
  <message>
   <source>{path}: the model is not there any more; what the scenario stored of it is used</source>
   <translation>{path}：模型已不在原处；使用方案中保存的内容</translation>
  </message>
  <message>
   <source>{path}: the probe was stopped; nothing was added</source>
   <translation>{path}：探测已停止；未添加任何内容</translation>
  </message>
  <message>
   <source>{path}: the probing process ended without an answer ({cause}); look at the details</source>
   <translation>{path}：探测进程没有给出结果就结束了（{cause}）；请查看详情</translation>
  </message>
  <message>
   <source>{path}: there is no such file or folder; check the path</source>
   <translation>{path}：没有这样的文件或文件夹；请检查路径</translation>
  </message>
  <message>
   <source>{path}: two scenarios are compared as two .optmem files; save the other one as .optmem too</source>
   <translation>{path}：两个方案须以两个 .optmem 文件比较；请把另一个也保存为 .optmem</translation>
  </message>
  <message>
   <source>{path}: was saved by OptMem {program} in file version {given}, this one reads up to {known}; update OptMem</source>
   <translation>{path}：由 OptMem {program} 以文件版本 {given} 保存，本程序最高支持 {known}；请更新 OptMem</translation>
  </message>
  <message>
   <source>{path}: your optimizer cannot be saved ({why}); it stays until the program ends</source>
   <translation>{path}：无法保存您的优化器（{why}）；它会保留到程序退出</translation>
  </message>
  <message>
   <source>{path}: your optimizers cannot be read ({why}); check that you may read it</source>
   <translation>{path}：无法读取您的优化器（{why}）；请确认您有读取权限</translation>
  </message>
  <message>
   <source>{path}: your optimizers cannot be read ({why}); the file was set aside as {aside}</source>
   <translation>{path}：无法读取您的优化器（{why}）；该文件已另存为 {aside}</translation>
  </message>
  <message>
   <source>{path}: {field} does not fit ({why}); correct it, or save the scenario again</source>
   <translation>{path}：{field} 不合要求（{why}）；请更正，或重新保存方案</translation>
  </message>
  <message>
   <source>{path}: {field} was left empty; fill it in, or save the scenario again</source>
   <translation>{path}：{field} 是空的；请填写，或重新保存方案</translation>
  </message>
  <message>
   <source>{path}: {size_bytes} is too large for a scenario, the limit is {limit_bytes}; choose a file that OptMem saved</source>
   <translation>{path}：{size_bytes} 超过方案文件的上限 {limit_bytes}；请选择由 OptMem 保存的文件</translation>
  </message>
  <message>
   <source>{place} reads a value of a tensor (module {module}); it was taken to be {value}, so a branch on it may go the other way on a GPU</source>
   <translation>{place} 读取了张量的值（模块 {module}）；已假定其为 {value}，因此依赖它的分支在 GPU 上可能走另一条路径</translation>
  </message>
  <message>
   <source>{precision} keeps no separate copy: the optimizer updates the weights themselves.</source>
   <translation>{precision} 不另外保留副本：优化器直接更新权重本身。</translation>
  </message>
  <message>
   <source>{precision}: from the library's source and paper; not yet compared with a GPU.</source>
   <translation>{precision}：依据该库的源码与论文；尚未与 GPU 对比。</translation>
  </message>
  <message>
   <source>{python} (Python {version}) has no torch; install it there (pip install torch) or choose another Python</source>
   <translation>{python}（Python {version}）中没有 torch；请在其中安装（pip install torch），或选择其他 Python</translation>
  </message>
  <message>
   <source>{python} cannot be started ({cause}); choose another Python in the settings</source>
   <translation>无法启动 {python}（{cause}）；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>{python} did not answer as a Python does ({cause}); choose another Python in the settings</source>
   <translation>{python} 的回应不像 Python（{cause}）；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>{python} did not answer within {seconds} s; choose another Python in the settings</source>
   <translation>{python} 在 {seconds} s 内没有响应；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>{python} does not exist; choose another Python in the settings</source>
   <translation>{python} 不存在；请在设置中选择其他 Python</translation>
  </message>
  <message>
   <source>{python} is Python {version}, older than {oldest}; choose a newer Python that has torch</source>
   <translation>{python} 为 Python {version}，低于 {oldest}；请选择装有 torch 的较新的 Python</translation>
  </message>
  <message>
   <source>{python} is built for another kind of processor ({cause}); choose a 64-bit Python made for this computer</source>
   <translation>{python} 是为另一种处理器构建的（{cause}）；请选择适用于此计算机的 64 位 Python</translation>
  </message>
  <message>
   <source>{python} is no program; choose a Python, such as bin/python in the folder of an environment</source>
   <translation>{python} 不是程序；请选择一个 Python，例如环境文件夹中的 bin/python</translation>
  </message>
  <message>
   <source>{recipe}, changed since: {fields}</source>
   <translation>{recipe}，此后更改了：{fields}</translation>
  </message>
  <message>
   <source>{standing_bytes} kept, {forward_bytes} more in forward, {backward_bytes} more in backward</source>
   <translation>常驻 {standing_bytes}，前向另需 {forward_bytes}，反向另需 {backward_bytes}</translation>
  </message>
  <message>
   <source>{state}: a factor of low rank for each matrix, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个矩阵一个低秩因子，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a low-rank basis of each matrix, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个矩阵的低秩基，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a moment of rank rows for each tensor, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个张量一个行数为秩的矩，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a packed triangle d (d + 1) / 2 for each side of each block, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每块每一侧一个打包的三角矩阵 d (d + 1) / 2，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a rank x rank matrix for each tensor, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个张量一个“秩 x 秩”的矩阵，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a square matrix as wide as one axis, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：与某一轴同宽的方阵，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a square matrix for each side within the limit, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：上限以内的每一侧一个方阵，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: a square {dtype} matrix as wide as the smaller axis of each matrix, {element_count} elements = {total_bytes}</source>
   <translation>{state}：每个矩阵一个与短轴同宽的 {dtype} 方阵，{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: an average where a variable is factored, else one element, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：变量做分解时为平均值，否则为一个元素，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: as many as parameters for each entry of the history, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：历史中的每一项都与参数一样多，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: as many as parameters, in {tensor_count} blocks, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：与参数一样多，分为 {tensor_count} 块，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: biases keep the second moment of Adam, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：偏置保留 Adam 的二阶矩，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: column averages of the projected gradient, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：投影后梯度的列平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: every n-th element of each parameter, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个参数每隔 n 个元素取一个，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: further bits of each 16-bit parameter, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个 16 位参数的额外位，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: its type {dtype} is not known to this program</source>
   <translation>{state}：本程序不认识其类型 {dtype}</translation>
  </message>
  <message>
   <source>{state}: no rule explains its sizes ({examples})</source>
   <translation>{state}：没有规则能解释其大小（{examples}）</translation>
  </message>
  <message>
   <source>{state}: one axis averaged away, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：沿某一轴取平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one number in {dtype} for the parameter group = {total_bytes}</source>
   <translation>{state}：每个参数组一个 {dtype} 数 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one number in {dtype} for the parameter group = {total_bytes}, in host memory</source>
   <translation>{state}：每个参数组一个 {dtype} 数 = {total_bytes}，位于主机内存</translation>
  </message>
  <message>
   <source>{state}: one of two axes averaged away, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：沿两个轴之一取平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one table of values in {dtype} = {total_bytes}, made but left unused in host memory</source>
   <translation>{state}：一张 {dtype} 取值表 = {total_bytes}，已创建但闲置于主机内存</translation>
  </message>
  <message>
   <source>{state}: one table of values in {dtype} = {total_bytes}, shared by all quantized tensors</source>
   <translation>{state}：一张 {dtype} 取值表 = {total_bytes}，由所有量化张量共用</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number a block, {element_count} of them = {total_bytes}</source>
   <translation>{state}：每块一个 {dtype} 数，共 {element_count} 个 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number a column of each matrix (numel / d[-2]), {element_count} elements = {total_bytes}</source>
   <translation>{state}：每个矩阵每列一个 {dtype} 数（numel / d[-2]），{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number a head of queries and keys, a row of embeddings, values, MLPs and outputs, or a tensor: {element_count} elements = {total_bytes}</source>
   <translation>{state}：查询和键每头一个 {dtype} 数，嵌入、值、MLP 和输出每行一个，其余每个张量一个：{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number a projected matrix, {tensor_count} of them = {total_bytes}</source>
   <translation>{state}：每个投影的矩阵一个 {dtype} 数，共 {tensor_count} 个 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number a row of each matrix (numel / d[-1]), {element_count} elements = {total_bytes}</source>
   <translation>{state}：每个矩阵每行一个 {dtype} 数（numel / d[-1]），{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number a row of each matrix, {element_count} elements = {total_bytes}</source>
   <translation>{state}：每个矩阵每行一个 {dtype} 数，{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number for each index along each axis, {element_count} elements = {total_bytes}</source>
   <translation>{state}：沿每个轴每个索引一个 {dtype} 数，{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number for each index along one axis, {element_count} elements = {total_bytes}</source>
   <translation>{state}：沿某一轴每个索引一个 {dtype} 数，{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} number for each place along one axis, {element_count} of them = {total_bytes}</source>
   <translation>{state}：沿某一轴每个位置一个 {dtype} 数，共 {element_count} 个 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: one {dtype} scale a block, {element_count} of them = {total_bytes}</source>
   <translation>{state}：每块一个 {dtype} 缩放因子，共 {element_count} 个 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: rank x longer side of each matrix, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个矩阵为“秩 x 长边”，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: rank x side of each projected matrix, other tensors in full, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个投影的矩阵为“秩 x 边长”，其他张量为完整大小，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: row averages of the projected gradient, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：投影后梯度的行平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: still changes its size after the second step</source>
   <translation>{state}：第二步之后大小仍在变化</translation>
  </message>
  <message>
   <source>{state}: tensors that are not factored, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：不做分解的张量，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the largest axis averaged away, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：沿最大的轴取平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the matrices of the first half of the split, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：划分中前一部分的矩阵，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the other of two axes averaged away, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：沿两个轴中的另一个取平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the parameter with its first axis averaged away (numel / d[0]), {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：参数沿第一个轴取平均 (numel / d[0])，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the parameters of the second half of the split, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：划分中后一部分的参数，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the projectors, {element_count} elements in {dtype} = {total_bytes}; with fp32 gradients the slice of the singular vectors is a view that keeps all of them</source>
   <translation>{state}：投影矩阵，{element_count} 个 {dtype} 元素 = {total_bytes}；梯度为 fp32 时，奇异向量的切片是保留其全部内容的视图</translation>
  </message>
  <message>
   <source>{state}: the rule that explains the first shapes is wrong for others ({examples})</source>
   <translation>{state}：能解释最初几种形状的规则，对其他形状不成立（{examples}）</translation>
  </message>
  <message>
   <source>{state}: the second largest axis averaged away, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：沿第二大的轴取平均，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: the triangle of a square matrix as wide as one axis, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：与某一轴同宽的方阵的三角部分，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: two values in each {dtype} element, {element_count} elements = {total_bytes}</source>
   <translation>{state}：每个 {dtype} 元素存放两个值，{element_count} 个元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: vectors and single numbers are not factored, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：向量和单个数不做分解，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: what rounding lost of each 16-bit parameter, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：每个 16 位参数的舍入损失，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}, for the matrices that are orthogonalized</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}，用于正交化的矩阵</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}, for what is left to Adam</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}，用于交给 Adam 的部分</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}, in host memory; that of paged optimizers is managed by the driver</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}，位于主机内存；分页优化器的状态由驱动管理</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}, the codes of the quantized tensors</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}，即量化张量的编码</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}, the codes of the quantized tensors, in managed memory, which the driver may keep on the host</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}，即量化张量的编码，位于统一内存，驱动可能将其放在主机上</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}; not quantized, in managed memory, which the driver may keep on the host</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}；未量化，位于统一内存，驱动可能将其放在主机上</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} = {total_bytes}; tensors this small, or of a size that blocks do not divide, are not quantized</source>
   <translation>{state}：{element_count} 个 {dtype} 元素 = {total_bytes}；过小或大小不能被块整除的张量不量化</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype} for the whole optimizer = {total_bytes}</source>
   <translation>{state}：整个优化器共 {element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {element_count} elements in {dtype}, as many as parameters = {total_bytes}</source>
   <translation>{state}：{element_count} 个 {dtype} 元素，与参数一样多 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {size_bytes} that the optimizer keeps outside its state of a parameter</source>
   <translation>{state}：优化器在各参数的状态之外还保留 {size_bytes}</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} factors, a square or a vector for each axis, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：{tensor_count} 个因子，每个轴一个方阵或向量，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} placeholders of one element in {dtype} = {total_bytes}</source>
   <translation>{state}：{tensor_count} 个占位张量，各一个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} x all parameters end to end, {element_count} elements in {dtype} = {total_bytes}</source>
   <translation>{state}：{tensor_count} x 首尾相接的全部参数，{element_count} 个 {dtype} 元素 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} x one number in {dtype} = {total_bytes}</source>
   <translation>{state}：{tensor_count} x 一个 {dtype} 数 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} x one number in {dtype} = {total_bytes}, in host memory, where reading it does not wait for the GPU</source>
   <translation>{state}：{tensor_count} x 一个 {dtype} 数 = {total_bytes}，位于主机内存，读取时无需等待 GPU</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} x one table of fixed size in {dtype} = {total_bytes}</source>
   <translation>{state}：{tensor_count} x 一张固定大小的 {dtype} 表 = {total_bytes}</translation>
  </message>
  <message>
   <source>{state}: {tensor_count} x one table of values in {dtype} = {total_bytes}, one for each quantized tensor</source>
   <translation>{state}：{tensor_count} x 一张 {dtype} 取值表 = {total_bytes}，每个量化张量一张</translation>
  </message>
  <message>
   <source>{tensor} ({shape}): Adam-mini cuts it into heads of dim x dim / n_heads elements, which {dim} x {dim} / {heads} does not divide; set dim and n_heads to those of the model</source>
   <translation>{tensor}（{shape}）：Adam-mini 按每头 dim x dim / n_heads 个元素切分，而 {dim} x {dim} / {heads} 不能整除；请把 dim 和 n_heads 设为模型的值</translation>
  </message>
  <message>
   <source>{tensor} ({shape}): Adam-mini takes it for a matrix by its name and stops at vectors; rename the module or choose another optimizer</source>
   <translation>{tensor}（{shape}）：Adam-mini 按名称将其当作矩阵，遇到向量会中止；请重命名该模块，或选择其他优化器</translation>
  </message>
  <message>
   <source>{vectors} vectors as long as all parameters, {vector_bytes} each = {total_bytes}</source>
   <translation>{vectors} 个与全部参数等长的向量，每个 {vector_bytes} = {total_bytes}</translation>
  </message>
  <message>
   <source>{why}; see `{command} --help`</source>
   <translation>{why}；见 `{command} --help`</translation>
  </message>
 </context>
 <context>
  <name>RecipePanel</name>
  <message>
   <source>Adapters</source>
   <translation>适配器</translation>
  </message>
  <message>
   <source>Back to its defaults</source>
   <translation>恢复其默认值</translation>
  </message>
  <message>
   <source>Bucket, elements</source>
   <translation>桶，元素数</translation>
  </message>
  <message>
   <source>Checkpointing</source>
   <translation>激活重计算</translation>
  </message>
  <message>
   <source>Clipping</source>
   <translation>梯度裁剪</translation>
  </message>
  <message>
   <source>Default of {library}: {source}</source>
   <translation>{library} 的默认值：{source}</translation>
  </message>
  <message>
   <source>Defaults of</source>
   <translation>默认值取自</translation>
  </message>
  <message>
   <source>Engine</source>
   <translation>引擎</translation>
  </message>
  <message>
   <source>Its options</source>
   <translation>其选项</translation>
  </message>
  <message>
   <source>Live parameters</source>
   <translation>存活参数</translation>
  </message>
  <message>
   <source>Loss</source>
   <translation>损失</translation>
  </message>
  <message>
   <source>Offload</source>
   <translation>卸载</translation>
  </message>
  <message>
   <source>Optimizer</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>Precision</source>
   <translation>精度</translation>
  </message>
  <message>
   <source>Recipe</source>
   <translation>配方</translation>
  </message>
  <message>
   <source>Reduces in fp32</source>
   <translation>以 fp32 归约</translation>
  </message>
  <message>
   <source>Reshards</source>
   <translation>重新分片</translation>
  </message>
  <message>
   <source>Sets the fields below as this library does by default</source>
   <translation>把下方各字段设为此库的默认值</translation>
  </message>
  <message>
   <source>as they come</source>
   <translation>保持默认</translation>
  </message>
  <message>
   <source>chunked</source>
   <translation>分块</translation>
  </message>
  <message>
   <source>every layer</source>
   <translation>每一层</translation>
  </message>
  <message>
   <source>full logits</source>
   <translation>完整 logits</translation>
  </message>
  <message>
   <source>no</source>
   <translation>否</translation>
  </message>
  <message>
   <source>none</source>
   <translation>无</translation>
  </message>
  <message>
   <source>none: as the fields say</source>
   <translation>无：以各字段为准</translation>
  </message>
  <message>
   <source>rank {rank} on {dtype}</source>
   <translation>秩 {rank}，基座 {dtype}</translation>
  </message>
  <message>
   <source>yes</source>
   <translation>是</translation>
  </message>
  <message>
   <source>zero_grad frees</source>
   <translation>zero_grad 释放</translation>
  </message>
  <message>
   <source>{mark} {now}, not {default}</source>
   <translation>{mark} {now}，而非 {default}</translation>
  </message>
 </context>
 <context>
  <name>RecordedPlot</name>
  <message>
   <source>After event {number}</source>
   <translation>第 {number} 个事件之后</translation>
  </message>
  <message>
   <source>Peak, after event {number}</source>
   <translation>峰值，在第 {number} 个事件之后</translation>
  </message>
  <message>
   <source>events</source>
   <translation>事件</translation>
  </message>
  <message>
   <source>peak {size}</source>
   <translation>峰值 {size}</translation>
  </message>
  <message>
   <source>unused</source>
   <translation>未使用</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
 </context>
 <context>
  <name>ReportDialog</name>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>Open &amp;folder of the log</source>
   <translation>打开日志文件夹(&amp;F)</translation>
  </message>
  <message>
   <source>Report</source>
   <translation>报告</translation>
  </message>
 </context>
 <context>
  <name>ResidentsPanel</name>
  <message>
   <source>A number such as 7B, or a product. Of a KV cache: 2 x layers x KV heads x head dimension x tokens held at once</source>
   <translation>一个数，例如 7B，或一个乘积。KV 缓存：2 x 层数 x KV 头数 x 头维度 x 同时保留的 token 数</translation>
  </message>
  <message>
   <source>Add</source>
   <translation>添加</translation>
  </message>
  <message>
   <source>Add something that lives on the GPU</source>
   <translation>添加 GPU 上的其他内容</translation>
  </message>
  <message>
   <source>Add these processes</source>
   <translation>添加这些进程</translation>
  </message>
  <message>
   <source>EMA copy</source>
   <translation>EMA 副本</translation>
  </message>
  <message>
   <source>Each becomes a row with its name and its bytes</source>
   <translation>每个进程成为一行，含其名称与字节数</translation>
  </message>
  <message>
   <source>Elements</source>
   <translation>元素</translation>
  </message>
  <message>
   <source>KV cache of a rollout engine</source>
   <translation>rollout 引擎的 KV 缓存</translation>
  </message>
  <message>
   <source>Name</source>
   <translation>名称</translation>
  </message>
  <message>
   <source>Nothing: add an EMA copy, a reference model or a frozen encoder.</source>
   <translation>无：可添加 EMA 副本、参考模型或冻结的编码器。</translation>
  </message>
  <message>
   <source>On {device} now: {processes}</source>
   <translation>{device} 上现有：{processes}</translation>
  </message>
  <message>
   <source>Other processes: {why}</source>
   <translation>其他进程：{why}</translation>
  </message>
  <message>
   <source>Reference model</source>
   <translation>参考模型</translation>
  </message>
  <message>
   <source>Remove it</source>
   <translation>移除</translation>
  </message>
  <message>
   <source>Remove what stands in row {row}</source>
   <translation>移除第 {row} 行的内容</translation>
  </message>
  <message>
   <source>Reward model</source>
   <translation>奖励模型</translation>
  </message>
  <message>
   <source>T5-XXL text encoder, frozen</source>
   <translation>T5-XXL 文本编码器，冻结</translation>
  </message>
  <message>
   <source>Teacher model</source>
   <translation>教师模型</translation>
  </message>
  <message>
   <source>Type of its elements</source>
   <translation>元素类型</translation>
  </message>
  <message>
   <source>VAE, frozen</source>
   <translation>VAE，冻结</translation>
  </message>
  <message>
   <source>What else is on the GPU</source>
   <translation>GPU 上的其他内容</translation>
  </message>
  <message>
   <source>What to call it</source>
   <translation>如何称呼</translation>
  </message>
  <message>
   <source>dtype</source>
   <translation>dtype</translation>
  </message>
  <message>
   <source>takes {size}</source>
   <translation>占用 {size}</translation>
  </message>
  <message>
   <source>{name} (process {pid}), {size}</source>
   <translation>{name}（进程 {pid}），{size}</translation>
  </message>
 </context>
 <context>
  <name>ResultDetail</name>
  <message>
   <source>Add these processes to what else is on the GPU</source>
   <translation>把这些进程添加到“GPU 上的其他内容”</translation>
  </message>
  <message>
   <source>Also on the GPU: process {pid} ({name}), {size}</source>
   <translation>GPU 上还有：进程 {pid}（{name}），{size}</translation>
  </message>
  <message>
   <source>Assumed: {what}</source>
   <translation>假定：{what}</translation>
  </message>
  <message>
   <source>Figures of the measurement</source>
   <translation>测量数值</translation>
  </message>
  <message>
   <source>Figures of the measurement, rank by rank</source>
   <translation>测量数值，按 rank 列出</translation>
  </message>
  <message>
   <source>Measured memory over time</source>
   <translation>实测显存随时间的变化</translation>
  </message>
  <message>
   <source>Notes and assumptions</source>
   <translation>备注与假定</translation>
  </message>
  <message>
   <source>Two can be compared, not {count}</source>
   <translation>只能比较两条，而非 {count} 条</translation>
  </message>
  <message>
   <source>Two measurements, rank by rank</source>
   <translation>两条测量记录，按 rank 对照</translation>
  </message>
  <message>
   <source>Two measurements, size by size</source>
   <translation>两条测量记录，逐项大小对照</translation>
  </message>
  <message>
   <source>What was measured; B - A in bytes and relative to A</source>
   <translation>实测内容；B - A 的字节数，以及相对于 A 的比例</translation>
  </message>
  <message>
   <source>driver {version}</source>
   <translation>驱动 {version}</translation>
  </message>
  <message>
   <source>figures and course of rank {rank}</source>
   <translation>rank {rank} 的数值与随时间的变化</translation>
  </message>
  <message>
   <source>rank {rank}</source>
   <translation>rank {rank}</translation>
  </message>
  <message>
   <source>{rate} samples a second</source>
   <translation>每秒采样 {rate} 次</translation>
  </message>
  <message>
   <source>{steps} steps</source>
   <translation>{steps} 步</translation>
  </message>
 </context>
 <context>
  <name>ResultRows</name>
  <message>
   <source>A</source>
   <translation>A</translation>
  </message>
  <message>
   <source>A, bytes</source>
   <translation>A，字节</translation>
  </message>
  <message>
   <source>B</source>
   <translation>B</translation>
  </message>
  <message>
   <source>B - A</source>
   <translation>B - A</translation>
  </message>
  <message>
   <source>B, bytes</source>
   <translation>B，字节</translation>
  </message>
  <message>
   <source>Component</source>
   <translation>组成部分</translation>
  </message>
  <message>
   <source>change</source>
   <translation>变化</translation>
  </message>
  <message>
   <source>context, libraries</source>
   <translation>上下文与库</translation>
  </message>
  <message>
   <source>error</source>
   <translation>误差</translation>
  </message>
  <message>
   <source>estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>estimated {count} bytes</source>
   <translation>估算 {count} 字节</translation>
  </message>
  <message>
   <source>estimated, bytes</source>
   <translation>估算，字节</translation>
  </message>
  <message>
   <source>exact</source>
   <translation>完全一致</translation>
  </message>
  <message>
   <source>fragmentation</source>
   <translation>碎片</translation>
  </message>
  <message>
   <source>measured</source>
   <translation>实测</translation>
  </message>
  <message>
   <source>measured {count} bytes</source>
   <translation>实测 {count} 字节</translation>
  </message>
  <message>
   <source>measured, bytes</source>
   <translation>实测，字节</translation>
  </message>
  <message>
   <source>measured: what stays allocated between two steps beside the tensors, ends of blocks included</source>
   <translation>实测：两步之间除张量外仍为已分配的部分，含块的尾部</translation>
  </message>
  <message>
   <source>not measured</source>
   <translation>未测量</translation>
  </message>
  <message>
   <source>peak allocated</source>
   <translation>已分配峰值</translation>
  </message>
  <message>
   <source>peak in {phase}</source>
   <translation>{phase}阶段峰值</translation>
  </message>
  <message>
   <source>peak reserved</source>
   <translation>已保留峰值</translation>
  </message>
  <message>
   <source>process</source>
   <translation>进程</translation>
  </message>
  <message>
   <source>same</source>
   <translation>相同</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>simulated {count} bytes</source>
   <translation>模拟 {count} 字节</translation>
  </message>
  <message>
   <source>simulated, bytes</source>
   <translation>模拟，字节</translation>
  </message>
  <message>
   <source>what the caching allocator holds beyond the peak</source>
   <translation>缓存分配器在峰值之外持有的部分</translation>
  </message>
  <message>
   <source>what the driver, or the system on a CPU, shows for the process; predicted: the middle of the band</source>
   <translation>驱动（在 CPU 上为系统）显示的进程占用；预测值取区间的中点</translation>
  </message>
  <message>
   <source>what the process holds on the GPU beyond what torch reserved</source>
   <translation>进程在 torch 已保留之外占用的 GPU 显存</translation>
  </message>
  <message>
   <source>{bytes} bytes</source>
   <translation>{bytes} 字节</translation>
  </message>
 </context>
 <context>
  <name>ResultsPage</name>
  <message>
   <source>Back to the estimate</source>
   <translation>返回估算</translation>
  </message>
  <message>
   <source>Date</source>
   <translation>日期</translation>
  </message>
  <message>
   <source>Delete...</source>
   <translation>删除...</translation>
  </message>
  <message>
   <source>Device</source>
   <translation>设备</translation>
  </message>
  <message>
   <source>Error of the estimate</source>
   <translation>估算误差</translation>
  </message>
  <message>
   <source>Export a picture...</source>
   <translation>导出图片...</translation>
  </message>
  <message>
   <source>Export as JSON...</source>
   <translation>导出为 JSON...</translation>
  </message>
  <message>
   <source>Forget</source>
   <translation>清除校准</translation>
  </message>
  <message>
   <source>Forget what was calibrated on {gpu}</source>
   <translation>清除在 {gpu} 上校准的结果</translation>
  </message>
  <message>
   <source>Id</source>
   <translation>标识</translation>
  </message>
  <message>
   <source>Measured peak</source>
   <translation>实测峰值</translation>
  </message>
  <message>
   <source>Measurements</source>
   <translation>测量记录</translation>
  </message>
  <message>
   <source>Measurements that are kept</source>
   <translation>保留的测量记录</translation>
  </message>
  <message>
   <source>Model</source>
   <translation>模型</translation>
  </message>
  <message>
   <source>Name and note...</source>
   <translation>名称与备注...</translation>
  </message>
  <message>
   <source>Note</source>
   <translation>备注</translation>
  </message>
  <message>
   <source>Nothing was measured yet. Every measurement that ends is kept here.</source>
   <translation>尚无测量。每次完成的测量都保留在此。</translation>
  </message>
  <message>
   <source>Open a file...</source>
   <translation>打开文件...</translation>
  </message>
  <message>
   <source>Optimizer</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>Peak, bytes</source>
   <translation>峰值，字节</translation>
  </message>
  <message>
   <source>Precision</source>
   <translation>精度</translation>
  </message>
  <message>
   <source>Puts what was measured into the fields; it can be undone</source>
   <translation>把测量时的设置填入各字段；可撤销</translation>
  </message>
  <message>
   <source>Take this scenario</source>
   <translation>采用此方案</translation>
  </message>
  <message>
   <source>did not fit</source>
   <translation>装不下</translation>
  </message>
  <message>
   <source>select one to see it, two to compare them</source>
   <translation>选择一条以查看，选择两条以比较</translation>
  </message>
  <message>
   <source>torch {version}</source>
   <translation>torch {version}</translation>
  </message>
 </context>
 <context>
  <name>Roles</name>
  <message>
   <source>MLP</source>
   <translation>MLP</translation>
  </message>
  <message>
   <source>adapter</source>
   <translation>适配器</translation>
  </message>
  <message>
   <source>attention</source>
   <translation>注意力</translation>
  </message>
  <message>
   <source>bias</source>
   <translation>偏置</translation>
  </message>
  <message>
   <source>bookkeeping</source>
   <translation>记录用张量</translation>
  </message>
  <message>
   <source>buffer</source>
   <translation>缓冲区</translation>
  </message>
  <message>
   <source>convolution</source>
   <translation>卷积</translation>
  </message>
  <message>
   <source>embedding</source>
   <translation>嵌入</translation>
  </message>
  <message>
   <source>experts</source>
   <translation>专家</translation>
  </message>
  <message>
   <source>norm</source>
   <translation>归一化</translation>
  </message>
  <message>
   <source>other</source>
   <translation>其他</translation>
  </message>
  <message>
   <source>output head</source>
   <translation>输出头</translation>
  </message>
  <message>
   <source>router</source>
   <translation>路由</translation>
  </message>
 </context>
 <context>
  <name>Runs</name>
  <message>
   <source>&amp;Measure on CPU</source>
   <translation>在 CPU 上测量(&amp;M)</translation>
  </message>
  <message>
   <source>&amp;Measure on GPU</source>
   <translation>在 GPU 上测量(&amp;M)</translation>
  </message>
 </context>
 <context>
  <name>SegmentModel</name>
  <message>
   <source>blocks: filled where in use</source>
   <translation>块：填充部分为使用中</translation>
  </message>
  <message>
   <source>in use</source>
   <translation>使用中</translation>
  </message>
  <message>
   <source>in use, bytes</source>
   <translation>使用中，字节</translation>
  </message>
  <message>
   <source>large requests</source>
   <translation>大请求</translation>
  </message>
  <message>
   <source>largest free</source>
   <translation>最大空闲块</translation>
  </message>
  <message>
   <source>segment at</source>
   <translation>段地址</translation>
  </message>
  <message>
   <source>size</source>
   <translation>大小</translation>
  </message>
  <message>
   <source>size, bytes</source>
   <translation>大小，字节</translation>
  </message>
  <message>
   <source>small requests</source>
   <translation>小请求</translation>
  </message>
  <message>
   <source>{count} blocks, stream {stream}, {kind}: {used} of {size} bytes in use</source>
   <translation>{count} 个块，流 {stream}，{kind}：{size} 字节中使用 {used} 字节</translation>
  </message>
  <message>
   <source>{kind}, expandable</source>
   <translation>{kind}，可扩展</translation>
  </message>
 </context>
 <context>
  <name>SelfCheckDialog</name>
  <message>
   <source>&amp;Device</source>
   <translation>设备(&amp;D)</translation>
  </message>
  <message>
   <source>&amp;Short: one run of each kind</source>
   <translation>简短：每种运行一次(&amp;S)</translation>
  </message>
  <message>
   <source>All {count} runs failed.</source>
   <translation>{count} 次运行全部失败。</translation>
  </message>
  <message>
   <source>Chec&amp;k</source>
   <translation>检查(&amp;K)</translation>
  </message>
  <message>
   <source>Device</source>
   <translation>设备</translation>
  </message>
  <message>
   <source>Peaks estimated, simulated and measured</source>
   <translation>估算、模拟与实测的峰值</translation>
  </message>
  <message>
   <source>Progress of the self-check</source>
   <translation>自检进度</translation>
  </message>
  <message>
   <source>S&amp;top</source>
   <translation>停止(&amp;T)</translation>
  </message>
  <message>
   <source>Save as &amp;JSON...</source>
   <translation>保存为 JSON(&amp;J)...</translation>
  </message>
  <message>
   <source>Save as &amp;Markdown...</source>
   <translation>保存为 Markdown(&amp;M)...</translation>
  </message>
  <message>
   <source>Save the self-check</source>
   <translation>保存自检结果</translation>
  </message>
  <message>
   <source>Self-check</source>
   <translation>自检</translation>
  </message>
  <message>
   <source>Small models are trained for a few steps in a process of their own, and every number is put beside what torch really took. Nothing leaves this computer.</source>
   <translation>在独立进程中把小模型训练几步，并把每个数字与 torch 的真实占用对照。任何内容都不会离开本机。</translation>
  </message>
  <message>
   <source>Starting</source>
   <translation>正在启动</translation>
  </message>
  <message>
   <source>Stopping</source>
   <translation>正在停止</translation>
  </message>
  <message>
   <source>estimate off by</source>
   <translation>估算偏差</translation>
  </message>
  <message>
   <source>estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>measured</source>
   <translation>实测</translation>
  </message>
  <message>
   <source>precision</source>
   <translation>精度</translation>
  </message>
  <message>
   <source>run</source>
   <translation>运行</translation>
  </message>
  <message>
   <source>simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>simulation off by</source>
   <translation>模拟偏差</translation>
  </message>
  <message>
   <source>state off by</source>
   <translation>状态偏差</translation>
  </message>
  <message>
   <source>{done} of {count} runs; now: {name}</source>
   <translation>已完成 {done}/{count} 次运行；当前：{name}</translation>
  </message>
  <message>
   <source>{runs} runs, {failed} failed. Optimizer state at most {state} bytes apart; estimated peak at most {estimated} off, simulated at most {simulated}.</source>
   <translation>共运行 {runs} 次，失败 {failed} 次。优化器状态最多相差 {state} 字节；峰值的估算偏差最多 {estimated}，模拟偏差最多 {simulated}。</translation>
  </message>
 </context>
 <context>
  <name>SettingsDialog</name>
  <message>
   <source> Hz</source>
   <translation> Hz</translation>
  </message>
  <message>
   <source>&amp;Language</source>
   <translation>语言(&amp;L)</translation>
  </message>
  <message>
   <source>&amp;Python with torch</source>
   <translation>带 torch 的 Python(&amp;P)</translation>
  </message>
  <message>
   <source>&amp;Reset all...</source>
   <translation>全部重置(&amp;R)...</translation>
  </message>
  <message>
   <source>&amp;Samples of the driver</source>
   <translation>驱动采样率(&amp;S)</translation>
  </message>
  <message>
   <source>&amp;Theme</source>
   <translation>主题(&amp;T)</translation>
  </message>
  <message>
   <source>&amp;Unit of sizes</source>
   <translation>大小单位(&amp;U)</translation>
  </message>
  <message>
   <source>C&amp;ontrast</source>
   <translation>对比度(&amp;O)</translation>
  </message>
  <message>
   <source>Forget every setting, the shape of the window and the list of recent files?</source>
   <translation>清除所有设置、窗口布局和最近打开的文件列表？</translation>
  </message>
  <message>
   <source>GB (10^9 bytes)</source>
   <translation>GB（10^9 字节）</translation>
  </message>
  <message>
   <source>GiB (2^30 bytes)</source>
   <translation>GiB（2^30 字节）</translation>
  </message>
  <message>
   <source>Log</source>
   <translation>日志</translation>
  </message>
  <message>
   <source>Measured &amp;steps</source>
   <translation>测量步数(&amp;S)</translation>
  </message>
  <message>
   <source>Open &amp;folder</source>
   <translation>打开文件夹(&amp;F)</translation>
  </message>
  <message>
   <source>Open fol&amp;der</source>
   <translation>打开文件夹(&amp;D)</translation>
  </message>
  <message>
   <source>Reset all settings</source>
   <translation>重置所有设置</translation>
  </message>
  <message>
   <source>Settings</source>
   <translation>设置</translation>
  </message>
  <message>
   <source>Simulate a moment &amp;after each edit</source>
   <translation>编辑后片刻自动模拟(&amp;A)</translation>
  </message>
  <message>
   <source>as the system</source>
   <translation>跟随系统</translation>
  </message>
  <message>
   <source>dark</source>
   <translation>深色</translation>
  </message>
  <message>
   <source>high</source>
   <translation>高</translation>
  </message>
  <message>
   <source>light</source>
   <translation>浅色</translation>
  </message>
 </context>
 <context>
  <name>ShardingPanel</name>
  <message>
   <source>Chunks of layers that a pipeline rank holds</source>
   <translation>每个流水线 rank 持有的层块数</translation>
  </message>
  <message>
   <source>Context parallel</source>
   <translation>上下文并行</translation>
  </message>
  <message>
   <source>DDP only</source>
   <translation>仅限 DDP</translation>
  </message>
  <message>
   <source>Data-parallel engine</source>
   <translation>数据并行引擎</translation>
  </message>
  <message>
   <source>Expert parallel</source>
   <translation>专家并行</translation>
  </message>
  <message>
   <source>Find layouts that fit...</source>
   <translation>查找装得下的布局...</translation>
  </message>
  <message>
   <source>GPUs and sharding</source>
   <translation>GPU 与分片</translation>
  </message>
  <message>
   <source>Gradients in DDP's buckets</source>
   <translation>梯度放入 DDP 的桶</translation>
  </message>
  <message>
   <source>Groups of ranks that each hold all shards (HSDP)</source>
   <translation>各自持有全部分片的 rank 组的数量 (HSDP)</translation>
  </message>
  <message>
   <source>HSDP only</source>
   <translation>仅限 HSDP</translation>
  </message>
  <message>
   <source>Host GiB a GPU</source>
   <translation>每张 GPU 主机 GiB</translation>
  </message>
  <message>
   <source>Host memory for each GPU; empty where it is not known</source>
   <translation>每张 GPU 对应的主机内存；未知则留空</translation>
  </message>
  <message>
   <source>How few GPUs are enough, and how they share the model</source>
   <translation>最少需要多少张 GPU，以及它们如何分担模型</translation>
  </message>
  <message>
   <source>Interleave</source>
   <translation>交错</translation>
  </message>
  <message>
   <source>Layers of each stage</source>
   <translation>每级的层数</translation>
  </message>
  <message>
   <source>Norms and dropout work on a part of the sequence</source>
   <translation>归一化与 dropout 只处理序列的一部分</translation>
  </message>
  <message>
   <source>Number of GPUs</source>
   <translation>GPU 数量</translation>
  </message>
  <message>
   <source>Offload</source>
   <translation>卸载</translation>
  </message>
  <message>
   <source>Pipeline stages</source>
   <translation>流水线并行</translation>
  </message>
  <message>
   <source>Ranks in all, one a GPU</source>
   <translation>rank 总数，每张 GPU 一个</translation>
  </message>
  <message>
   <source>Ranks that split every matrix (tp)</source>
   <translation>切分每个矩阵的 rank 数 (tp)</translation>
  </message>
  <message>
   <source>Ranks that split the experts (ep)</source>
   <translation>分担专家的 rank 数 (ep)</translation>
  </message>
  <message>
   <source>Ranks that split the layers (pp)</source>
   <translation>分担各层的 rank 数 (pp)</translation>
  </message>
  <message>
   <source>Ranks that split the sequence (cp)</source>
   <translation>切分序列的 rank 数 (cp)</translation>
  </message>
  <message>
   <source>Replicas</source>
   <translation>副本数</translation>
  </message>
  <message>
   <source>Sequence parallel</source>
   <translation>序列并行</translation>
  </message>
  <message>
   <source>Such as 10, 11, 11; empty: as even as they go, the first stages one more</source>
   <translation>例如 10, 11, 11；留空则尽量均分，靠前的级多一层</translation>
  </message>
  <message>
   <source>Tensor parallel</source>
   <translation>张量并行</translation>
  </message>
  <message>
   <source>What lives in host memory</source>
   <translation>哪些内容放在主机内存</translation>
  </message>
  <message>
   <source>What ranks that see different data share</source>
   <translation>看到不同数据的各 rank 分担哪些内容</translation>
  </message>
  <message>
   <source>gradient_as_bucket_view=True: one copy less</source>
   <translation>gradient_as_bucket_view=True：少一份副本</translation>
  </message>
  <message>
   <source>needs several stages</source>
   <translation>需要多个流水线级</translation>
  </message>
  <message>
   <source>needs tensor parallel ranks</source>
   <translation>需要张量并行的 rank</translation>
  </message>
  <message>
   <source>not with {engine}</source>
   <translation>不适用于 {engine}</translation>
  </message>
  <message>
   <source>nothing</source>
   <translation>无</translation>
  </message>
  <message>
   <source>nothing is offloaded</source>
   <translation>没有卸载任何内容</translation>
  </message>
  <message>
   <source>optimizer</source>
   <translation>优化器</translation>
  </message>
  <message>
   <source>parameters, too</source>
   <translation>参数也卸载</translation>
  </message>
  <message>
   <source>this model has no experts</source>
   <translation>此模型没有专家</translation>
  </message>
 </context>
 <context>
  <name>Side</name>
  <message>
   <source>Measurement</source>
   <translation>测量</translation>
  </message>
  <message>
   <source>Ranks</source>
   <translation>Rank</translation>
  </message>
  <message>
   <source>Simulation</source>
   <translation>模拟</translation>
  </message>
 </context>
 <context>
  <name>SimulatedPlot</name>
  <message>
   <source>Peak, {phase}: {size}</source>
   <translation>峰值，{phase}：{size}</translation>
  </message>
  <message>
   <source>peak {size}</source>
   <translation>峰值 {size}</translation>
  </message>
  <message>
   <source>step {number}</source>
   <translation>第 {number} 步</translation>
  </message>
  <message>
   <source>step {step}, {phase}: {size}</source>
   <translation>第 {step} 步，{phase}：{size}</translation>
  </message>
  <message>
   <source>usable {size}</source>
   <translation>可用 {size}</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{phase}: {size}</source>
   <translation>{phase}：{size}</translation>
  </message>
 </context>
 <context>
  <name>SimulationPanel</name>
  <message>
   <source>Alive</source>
   <translation>存活</translation>
  </message>
  <message>
   <source>Allocated: every storage at its exact size, as torch's own events of the CPU count it.</source>
   <translation>已分配：每个存储按其精确大小计，与 torch 自身的 CPU 分配事件计法相同。</translation>
  </message>
  <message>
   <source>Allocated: whole blocks in use, as torch.cuda.max_memory_allocated counts them. Reserved: what the caching allocator holds. The difference is free inside its segments.</source>
   <translation>已分配：使用中的整块，与 torch.cuda.max_memory_allocated 的计法相同。已保留：缓存分配器持有的内存。两者之差是其各段中的空闲部分。</translation>
  </message>
  <message>
   <source>Differences</source>
   <translation>差异</translation>
  </message>
  <message>
   <source>Does not fit: the GPU runs out of memory here and the trace ends. Without a chosen GPU it is traced to its end.</source>
   <translation>装不下：GPU 显存在此耗尽，追踪到此为止。未选择 GPU 时会一直追踪到结束。</translation>
  </message>
  <message>
   <source>Estimated and simulated, by component</source>
   <translation>各组成部分的估算值与模拟值</translation>
  </message>
  <message>
   <source>Exact: every rule used has matched a recording byte for byte.</source>
   <translation>精确：用到的每条规则都曾与记录逐字节吻合。</translation>
  </message>
  <message>
   <source>Failed</source>
   <translation>失败</translation>
  </message>
  <message>
   <source>Not exact: something had to be assumed, or was not yet compared with a GPU.</source>
   <translation>不精确：有些内容只能假定，或尚未与 GPU 对比。</translation>
  </message>
  <message>
   <source>Notes</source>
   <translation>备注</translation>
  </message>
  <message>
   <source>Of earlier inputs, simulate again: {text}</source>
   <translation>对应先前的输入，请重新模拟：{text}</translation>
  </message>
  <message>
   <source>Of {function}: {text}</source>
   <translation>来自 {function}：{text}</translation>
  </message>
  <message>
   <source>Peak {peak} bytes allocated, at most {reserved} bytes reserved.</source>
   <translation>峰值已分配 {peak} 字节，最多已保留 {reserved} 字节。</translation>
  </message>
  <message>
   <source>Phases</source>
   <translation>阶段</translation>
  </message>
  <message>
   <source>Progress of the simulation</source>
   <translation>模拟进度</translation>
  </message>
  <message>
   <source>Simulated memory, by phase</source>
   <translation>各阶段的模拟显存</translation>
  </message>
  <message>
   <source>Simulation</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>Starting: the first simulation imports torch in a process of its own</source>
   <translation>正在启动：首次模拟要在独立进程中导入 torch</translation>
  </message>
  <message>
   <source>Stopped</source>
   <translation>已停止</translation>
  </message>
  <message>
   <source>Stopping</source>
   <translation>正在停止</translation>
  </message>
  <message>
   <source>Technical detail</source>
   <translation>技术细节</translation>
  </message>
  <message>
   <source>The peak lies between {low} and {high}: some facts of this GPU are not known.</source>
   <translation>峰值介于 {low} 与 {high} 之间：此 GPU 的某些情况未知。</translation>
  </message>
  <message>
   <source>Tracing step {step} of {steps}: {phase}</source>
   <translation>正在追踪第 {step}/{steps} 步：{phase}</translation>
  </message>
  <message>
   <source>Tracing: {phase}</source>
   <translation>正在追踪：{phase}</translation>
  </message>
  <message>
   <source>What to know about the simulation</source>
   <translation>关于此次模拟的须知</translation>
  </message>
  <message>
   <source>category</source>
   <translation>类别</translation>
  </message>
  <message>
   <source>exact</source>
   <translation>完全一致</translation>
  </message>
  <message>
   <source>kind of module</source>
   <translation>模块种类</translation>
  </message>
  <message>
   <source>module</source>
   <translation>模块</translation>
  </message>
  <message>
   <source>no module</source>
   <translation>无模块</translation>
  </message>
  <message>
   <source>not exact, see the notes</source>
   <translation>不精确，见备注</translation>
  </message>
  <message>
   <source>operator</source>
   <translation>算子</translation>
  </message>
  <message>
   <source>outside every module</source>
   <translation>不属于任何模块</translation>
  </message>
  <message>
   <source>phase it was made in</source>
   <translation>创建时所在的阶段</translation>
  </message>
  <message>
   <source>step {step}, {phase}</source>
   <translation>第 {step} 步，{phase}</translation>
  </message>
  <message>
   <source>{category}, {size}: {count} blocks made by {op} in {module} ({when}); {asked} asked for</source>
   <translation>{category}，{size}：{count} 个块，由 {module} 中的 {op} 创建（{when}）；请求了 {asked}</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{count} operators traced without a GPU in {seconds} s by torch {torch}.</source>
   <translation>torch {torch} 在 {seconds} 秒内追踪了 {count} 个算子，未使用 GPU。</translation>
  </message>
  <message>
   <source>{name}: {why}</source>
   <translation>{name}：{why}</translation>
  </message>
  <message>
   <source>{size} allocated at the peak ({phase})</source>
   <translation>峰值（{phase}）已分配 {size}</translation>
  </message>
  <message>
   <source>{size} allocated at the peak ({phase}), {reserved} reserved: {free} unused ({share})</source>
   <translation>峰值（{phase}）已分配 {size}，已保留 {reserved}：{free} 未使用（{share}）</translation>
  </message>
  <message>
   <source>{words}; torch {torch}, no GPU chosen</source>
   <translation>{words}；torch {torch}，未选择 GPU</translation>
  </message>
  <message>
   <source>{words}; torch {torch}, on the CPU</source>
   <translation>{words}；torch {torch}，在 CPU 上</translation>
  </message>
  <message>
   <source>{words}; torch {torch}, {architecture}</source>
   <translation>{words}；torch {torch}，{architecture}</translation>
  </message>
 </context>
 <context>
  <name>SnapshotPage</name>
  <message>
   <source>Alive at the peak</source>
   <translation>峰值时存活</translation>
  </message>
  <message>
   <source>At the end</source>
   <translation>结束时</translation>
  </message>
  <message>
   <source>At the peak</source>
   <translation>峰值时</translation>
  </message>
  <message>
   <source>Back to the estimate</source>
   <translation>返回估算</translation>
  </message>
  <message>
   <source>Beside the recording</source>
   <translation>与记录对照</translation>
  </message>
  <message>
   <source>Device</source>
   <translation>设备</translation>
  </message>
  <message>
   <source>Memory snapshot</source>
   <translation>内存快照</translation>
  </message>
  <message>
   <source>Peak {size} allocated ({count} bytes) after event {event}; {held} reserved then, {free} of it unused ({share})</source>
   <translation>峰值已分配 {size}（{count} 字节），在第 {event} 个事件之后；当时已保留 {held}，其中 {free} 未使用（{share}）</translation>
  </message>
  <message>
   <source>Progress with the memory snapshot</source>
   <translation>内存快照处理进度</translation>
  </message>
  <message>
   <source>Recorded memory over the events</source>
   <translation>记录的内存随事件的变化</translation>
  </message>
  <message>
   <source>Replaying up to the peak</source>
   <translation>正在重放到峰值</translation>
  </message>
  <message>
   <source>Segments</source>
   <translation>段</translation>
  </message>
  <message>
   <source>Stop</source>
   <translation>停止</translation>
  </message>
  <message>
   <source>The first that does not is event {number}.</source>
   <translation>第一次不一致在第 {number} 个事件。</translation>
  </message>
  <message>
   <source>The model beside the recording</source>
   <translation>模型与记录对照</translation>
  </message>
  <message>
   <source>The start is known: {why}.</source>
   <translation>起始状态已知：{why}。</translation>
  </message>
  <message>
   <source>The start is not known: {why}.</source>
   <translation>起始状态未知：{why}。</translation>
  </message>
  <message>
   <source>What if</source>
   <translation>假设分析</translation>
  </message>
  <message>
   <source>What is known about the recording</source>
   <translation>关于此记录的已知信息</translation>
  </message>
  <message>
   <source>age</source>
   <translation>时间</translation>
  </message>
  <message>
   <source>allocated peak, bytes</source>
   <translation>已分配峰值，字节</translation>
  </message>
  <message>
   <source>difference</source>
   <translation>差值</translation>
  </message>
  <message>
   <source>file</source>
   <translation>文件</translation>
  </message>
  <message>
   <source>from before the recording</source>
   <translation>记录开始之前</translation>
  </message>
  <message>
   <source>made in the recording</source>
   <translation>记录期间创建</translation>
  </message>
  <message>
   <source>model</source>
   <translation>模型</translation>
  </message>
  <message>
   <source>not recorded</source>
   <translation>未记录</translation>
  </message>
  <message>
   <source>place in the program</source>
   <translation>程序中的位置</translation>
  </message>
  <message>
   <source>recorded</source>
   <translation>记录</translation>
  </message>
  <message>
   <source>reserved at the end, bytes</source>
   <translation>结束时已保留，字节</translation>
  </message>
  <message>
   <source>reserved peak, bytes</source>
   <translation>已保留峰值，字节</translation>
  </message>
  <message>
   <source>segments at the end</source>
   <translation>结束时的段数</translation>
  </message>
  <message>
   <source>size of a block</source>
   <translation>块大小</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{count} recorded segments could not be given back by the model.</source>
   <translation>有 {count} 个记录的段无法由模型归还。</translation>
  </message>
  <message>
   <source>{count} segments, {size} reserved, {used} in use; {scattered} free between blocks in use, {idle} in segments that could be given back</source>
   <translation>{count} 个段，已保留 {size}，使用中 {used}；{scattered} 空闲于使用中的块之间，{idle} 空闲于可归还的段</translation>
  </message>
  <message>
   <source>{name}: device {device}, {count} events</source>
   <translation>{name}：设备 {device}，{count} 个事件</translation>
  </message>
  <message>
   <source>{name}: reading, nothing in it is executed</source>
   <translation>{name}：正在读取，不执行其中任何内容</translation>
  </message>
  <message>
   <source>{same} of {count} allocations lie at the recorded address.</source>
   <translation>{count} 次分配中有 {same} 次位于记录的地址。</translation>
  </message>
  <message>
   <source>{size} bytes at {address}, made by event {event}</source>
   <translation>{address} 处 {size} 字节，由第 {event} 个事件创建</translation>
  </message>
  <message>
   <source>{size} bytes at {address}, there before the recording began</source>
   <translation>{address} 处 {size} 字节，记录开始之前就已存在</translation>
  </message>
 </context>
 <context>
  <name>TimelinePanel</name>
  <message>
   <source>Estimated</source>
   <translation>估算</translation>
  </message>
  <message>
   <source>Estimated memory over the phases of one step</source>
   <translation>一个训练步各阶段的显存估算</translation>
  </message>
  <message>
   <source>Largest of each line; parts at the peak</source>
   <translation>各曲线的最大值；峰值处的各部分</translation>
  </message>
  <message>
   <source>Largest value of each</source>
   <translation>各曲线的最大值</translation>
  </message>
  <message>
   <source>Measured</source>
   <translation>实测</translation>
  </message>
  <message>
   <source>Measured memory over time</source>
   <translation>实测显存随时间的变化</translation>
  </message>
  <message>
   <source>Peak, {phase}: {size}</source>
   <translation>峰值，{phase}：{size}</translation>
  </message>
  <message>
   <source>Shows a measurement once there is one</source>
   <translation>有测量结果后在此显示</translation>
  </message>
  <message>
   <source>Shows a simulation once there is one</source>
   <translation>有模拟结果后在此显示</translation>
  </message>
  <message>
   <source>Simulated</source>
   <translation>模拟</translation>
  </message>
  <message>
   <source>Simulated memory over the phases of a run</source>
   <translation>一次运行各阶段的模拟显存</translation>
  </message>
  <message>
   <source>Timeline</source>
   <translation>时间线</translation>
  </message>
  <message>
   <source>What is there in the phase at the cursor, or at the peak?</source>
   <translation>光标所在阶段或峰值处有些什么？</translation>
  </message>
  <message>
   <source>a measured run; the wheel zooms, a double click takes it back</source>
   <translation>实测；滚轮缩放，双击还原</translation>
  </message>
  <message>
   <source>a traced run; the wheel zooms, a double click takes it back</source>
   <translation>追踪；滚轮缩放，双击还原</translation>
  </message>
  <message>
   <source>of earlier inputs: simulate again</source>
   <translation>对应先前的输入：请重新模拟</translation>
  </message>
  <message>
   <source>of {function}</source>
   <translation>来自 {function}</translation>
  </message>
  <message>
   <source>one step, phases not to scale; point at it to see what is alive</source>
   <translation>一个训练步，各阶段不按比例；指向图中可查看存活的内容</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{phase}: {size}</source>
   <translation>{phase}：{size}</translation>
  </message>
  <message>
   <source>{second} s, {phase}</source>
   <translation>{second} s，{phase}</translation>
  </message>
 </context>
 <context>
  <name>TopBar</name>
  <message>
   <source>Export</source>
   <translation>导出</translation>
  </message>
  <message>
   <source>Save the figures or a picture of them</source>
   <translation>保存数据或其图片</translation>
  </message>
  <message>
   <source>Tool bar</source>
   <translation>工具栏</translation>
  </message>
 </context>
 <context>
  <name>Treemap</name>
  <message>
   <source>whole model</source>
   <translation>整个模型</translation>
  </message>
  <message>
   <source>{size} in the file ({share}), {count} parameters in {tensors} tensors</source>
   <translation>在文件中占 {size}（{share}），{count} 个参数，{tensors} 个张量</translation>
  </message>
 </context>
 <context>
  <name>WayRow</name>
  <message>
   <source>Apply</source>
   <translation>应用</translation>
  </message>
  <message>
   <source>Apply: {change}</source>
   <translation>应用：{change}</translation>
  </message>
  <message>
   <source>Change the inputs; undo takes it back</source>
   <translation>更改输入；可撤销</translation>
  </message>
  <message>
   <source>saves {size}</source>
   <translation>节省 {size}</translation>
  </message>
  <message>
   <source>still too much, at {peak}</source>
   <translation>仍装不下，峰值 {peak}</translation>
  </message>
  <message>
   <source>then at {peak}</source>
   <translation>峰值变为 {peak}</translation>
  </message>
  <message>
   <source>then fits, at {peak}</source>
   <translation>即可装下，峰值 {peak}</translation>
  </message>
  <message>
   <source>then tight, at {peak}</source>
   <translation>临界，峰值 {peak}</translation>
  </message>
 </context>
 <context>
  <name>WaysPanel</name>
  <message>
   <source>Being computed</source>
   <translation>正在计算</translation>
  </message>
  <message>
   <source>Changes that lower the peak</source>
   <translation>能降低峰值的更改</translation>
  </message>
  <message>
   <source>No single change saves anything.</source>
   <translation>没有任何单项更改能节省显存。</translation>
  </message>
  <message>
   <source>Ways to fit</source>
   <translation>装下的办法</translation>
  </message>
  <message>
   <source>one change each; undo takes it back</source>
   <translation>每行一项更改；可撤销</translation>
  </message>
 </context>
 <context>
  <name>WhatIfPanel</name>
  <message>
   <source>&amp;Device memory, GiB</source>
   <translation>设备显存，GiB(&amp;D)</translation>
  </message>
  <message>
   <source>&amp;Try</source>
   <translation>试算(&amp;T)</translation>
  </message>
  <message>
   <source>Blocks of this many MiB and more are never split</source>
   <translation>不小于此 MiB 数的块从不拆分</translation>
  </message>
  <message>
   <source>Nothing is set: PyTorch's defaults</source>
   <translation>未作任何设置：PyTorch 的默认值</translation>
  </message>
  <message>
   <source>Segments grow by pages instead of being taken whole</source>
   <translation>段按页增长，而不是整段申请</translation>
  </message>
  <message>
   <source>Serve the recorded requests with these settings, from an empty device</source>
   <translation>从空设备开始，用这些设置处理记录的请求</translation>
  </message>
  <message>
   <source>Settings that were tried</source>
   <translation>试过的设置</translation>
  </message>
  <message>
   <source>Share of the device above which old free blocks are given back, between 0 and 1</source>
   <translation>超过设备的这一比例即归还旧的空闲块，介于 0 和 1 之间</translation>
  </message>
  <message>
   <source>Steps between powers of two that requests are rounded to: 1, 2, 4, 8 ...</source>
   <translation>请求向上取整时，相邻两个 2 的幂之间的级数：1、2、4、8……</translation>
  </message>
  <message>
   <source>What the device hands out; empty for no end</source>
   <translation>设备可提供的显存；不设上限则留空</translation>
  </message>
  <message>
   <source>against recorded</source>
   <translation>相对记录</translation>
  </message>
  <message>
   <source>allocated peak</source>
   <translation>已分配峰值</translation>
  </message>
  <message>
   <source>allocated peak, bytes</source>
   <translation>已分配峰值，字节</translation>
  </message>
  <message>
   <source>as recorded</source>
   <translation>与记录相同</translation>
  </message>
  <message>
   <source>at event {number}</source>
   <translation>第 {number} 个事件</translation>
  </message>
  <message>
   <source>defaults</source>
   <translation>默认</translation>
  </message>
  <message>
   <source>e&amp;xpandable_segments</source>
   <translation>expandable_segments(&amp;X)</translation>
  </message>
  <message>
   <source>emptied caches</source>
   <translation>清空缓存次数</translation>
  </message>
  <message>
   <source>garbage_co&amp;llection_threshold</source>
   <translation>garbage_collection_threshold(&amp;L)</translation>
  </message>
  <message>
   <source>max_&amp;split_size_mb</source>
   <translation>max_split_size_mb(&amp;S)</translation>
  </message>
  <message>
   <source>no</source>
   <translation>否</translation>
  </message>
  <message>
   <source>ran out</source>
   <translation>显存耗尽</translation>
  </message>
  <message>
   <source>reserved at the end</source>
   <translation>结束时已保留</translation>
  </message>
  <message>
   <source>reserved peak</source>
   <translation>已保留峰值</translation>
  </message>
  <message>
   <source>reserved peak, bytes</source>
   <translation>已保留峰值，字节</translation>
  </message>
  <message>
   <source>ro&amp;undup_power2_divisions</source>
   <translation>roundup_power2_divisions(&amp;U)</translation>
  </message>
  <message>
   <source>segments</source>
   <translation>段数</translation>
  </message>
  <message>
   <source>settings</source>
   <translation>设置</translation>
  </message>
  <message>
   <source>{settings} on {size}</source>
   <translation>{settings}，{size}</translation>
  </message>
 </context>
 <context>
  <name>WhyButton</name>
  <message>
   <source>Why?</source>
   <translation>为什么？</translation>
  </message>
 </context>
 <context>
  <name>WhyDialog</name>
  <message>
   <source>&amp;Copy</source>
   <translation>复制(&amp;C)</translation>
  </message>
  <message>
   <source>&amp;Number</source>
   <translation>数字(&amp;N)</translation>
  </message>
  <message>
   <source>Formula: {formula}</source>
   <translation>公式：{formula}</translation>
  </message>
  <message>
   <source>How it was proven</source>
   <translation>验证方式</translation>
  </message>
  <message>
   <source>Number to explain</source>
   <translation>要说明的数字</translation>
  </message>
  <message>
   <source>Numbers put in</source>
   <translation>代入的数值</translation>
  </message>
  <message>
   <source>Often believed otherwise</source>
   <translation>常见的误解</translation>
  </message>
  <message>
   <source>Peak: allocated</source>
   <translation>峰值：已分配</translation>
  </message>
  <message>
   <source>Peak: reserved by PyTorch</source>
   <translation>峰值：PyTorch 已保留</translation>
  </message>
  <message>
   <source>Peak: shown for the process</source>
   <translation>峰值：进程占用</translation>
  </message>
  <message>
   <source>Phase: {phase}</source>
   <translation>阶段：{phase}</translation>
  </message>
  <message>
   <source>Rank: stage {number}</source>
   <translation>Rank：流水线第 {number} 级</translation>
  </message>
  <message>
   <source>Read more: {title}</source>
   <translation>更多：{title}</translation>
  </message>
  <message>
   <source>Where the rule is from</source>
   <translation>规则的出处</translation>
  </message>
  <message>
   <source>Why this number</source>
   <translation>为什么是这个数字</translation>
  </message>
  <message>
   <source>Why? {name}</source>
   <translation>为什么？{name}</translation>
  </message>
  <message>
   <source>in all</source>
   <translation>合计</translation>
  </message>
  <message>
   <source>not counted</source>
   <translation>未计入</translation>
  </message>
  <message>
   <source>the largest of them</source>
   <translation>其中最大者</translation>
  </message>
  <message>
   <source>{count} bytes</source>
   <translation>{count} 字节</translation>
  </message>
  <message>
   <source>{count} smaller ones</source>
   <translation>另外 {count} 项较小的</translation>
  </message>
  <message>
   <source>{low} to {high}</source>
   <translation>{low} 至 {high}</translation>
  </message>
 </context>
</TS>
