// Handles on the running JupyterLab for the tests (`jupyterapp` is there because the server is told to expose it).
// Cells are named by their index, as a reader counts them.
window.lab = (() => {
  const runs = new Map(); // cell id -> {done}: whether the command that ran the cell has come back

  const panel = () => jupyterapp.shell.currentWidget;
  const notebook = () => panel().content;
  const cell = (index) => notebook().widgets[index];
  const isOpen = (path) => window.jupyterapp?.shell.currentWidget?.context?.path === path;
  const all = () => [...jupyterapp.shell.widgets("main")];
  const isEmpty = () => !all().some((widget) => widget.context) && !document.querySelector(".jp-Dialog");

  // Without asking whether to save. Lab then shows its launcher, as it does when it finds nothing to open.
  function closeAll() {
    for (const widget of all()) widget.dispose();
  }

  async function open(path) {
    closeAll();
    await jupyterapp.commands.execute("docmanager:open", { path, factory: "Notebook" });
  }

  function select(index) {
    notebook().deselectAll();
    notebook().activeCellIndex = index;
    return cell(index);
  }

  async function ready() {
    const { context } = panel();
    await context.ready;
    await context.sessionContext.ready;
    await notebook().fullyRendered;
    await context.sessionContext.session.kernel.info;
  }

  function start(index) {
    const run = { done: false };
    runs.set(select(index).model.id, run);
    const end = () => {
      run.done = true;
    };
    jupyterapp.commands.execute("notebook:run-cell").then(end, end);
  }

  // The kernel's status is no help here: it turns idle whenever a message on a subshell has been handled.
  function hasRun(index) {
    const { id, executionState, executionCount } = cell(index).model;
    const commandIsBack = runs.get(id)?.done ?? true;
    return commandIsBack && executionState === "idle" && executionCount !== null;
  }

  return {
    isOpen,
    isEmpty,
    closeAll,
    open,
    ready,
    select,
    start,
    hasRun,
    outputs: (index) => cell(index).model.outputs.toJSON(),
    node: (index) => cell(index).node,
    cellCount: () => notebook().widgets.length,
    state: (index) => cell(index).model.executionState,
    append(source) {
      const { sharedModel } = notebook().model;
      sharedModel.insertCell(sharedModel.cells.length, { cell_type: "code", source });
      return sharedModel.cells.length - 1;
    },
    async command(id, args) {
      await jupyterapp.commands.execute(id, args);
    },
    async restartKernel() {
      await panel().context.sessionContext.restartKernel();
      await ready();
    },
  };
})();
