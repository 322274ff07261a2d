/** The log table's style sheet, on JupyterLab's variables with fallbacks. */

import { installSheet, PALETTE } from "../widget/sheet";

const CSS = `
.mcpapp-log{
${PALETTE};
--m-hover:rgba(128,128,128,.12);
--mark:transparent;
container-type:inline-size;position:relative;
:is([data-jp-theme-light=false],.vscode-dark,.vscode-high-contrast) &{color-scheme:dark}
&,*{box-sizing:border-box}
[hidden]{display:none!important}
.log-tools{display:flex;flex-wrap:wrap;align-items:center;gap:5px 6px;padding:5px 8px 5px 10px;background:var(--m-bar);border-bottom:1px solid var(--m-line)}
b{font-weight:600;margin-right:4px;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.log-chips{display:flex;flex-wrap:wrap;gap:3px;min-width:0}
button,select,input{font:inherit;font-size:12px;height:24px;color:inherit;border:1px solid var(--m-line);border-radius:4px;background:var(--m-bg);padding:0 8px}
select{padding:0 2px;max-width:100%}
input{flex:1 1 90px;min-width:70px;max-width:260px}
button{cursor:pointer;
&:hover{background:var(--m-hover)}
&[aria-pressed=true]{border-color:var(--m-brand);background:color-mix(in srgb,var(--m-brand) 16%,var(--m-bg))}}
.log-chips button{border-radius:12px}
.log-chips [aria-pressed=false]{color:var(--m-quiet)}
:is(button,select,input,summary,pre,.log-scroll):focus-visible{outline:2px solid var(--m-brand);outline-offset:-2px}
.log-count{margin-left:auto;color:var(--m-quiet);font-size:12px;white-space:nowrap;font-variant-numeric:tabular-nums}
.log-scroll{max-height:340px;overflow:auto;scrollbar-width:thin;overscroll-behavior:contain}
table{width:100%;margin:0;border:0;border-collapse:collapse;table-layout:fixed;font-size:12px}
th,td{padding:2px 8px;vertical-align:top;text-align:left;white-space:normal;border:0;max-width:none}
th{position:sticky;top:0;z-index:1;font-weight:500;color:var(--m-quiet);background:var(--m-bg);box-shadow:inset 0 -1px var(--m-line)}
tr{background:none!important}
tbody tr:hover{background:var(--m-hover)!important}
td{border-top:1px solid color-mix(in srgb,var(--m-line) 45%,transparent);font-family:var(--jp-code-font-family,ui-monospace,monospace)}
.log-time{width:104px;font-variant-numeric:tabular-nums}
.log-source{width:70px}
.log-level{width:82px}
td:is(.log-time,.log-source),[data-level=debug] td,[data-level=info] .log-level,i,small,.log-nothing td{color:var(--m-quiet)}
td.log-text{overflow-wrap:anywhere;white-space:pre-wrap}
td:first-child{box-shadow:inset 3px 0 var(--mark)}
[data-level=warning]{--mark:var(--m-warn);.log-level{font-weight:600}}
:is([data-level=error],[data-level=critical],[data-level=alert],[data-level=emergency]){--mark:var(--m-error);
background:color-mix(in srgb,var(--mark) 8%,transparent)!important;
.log-level{font-weight:600}}
i{font-style:normal;margin-right:8px}
small{margin-left:10px;font-size:11px;white-space:nowrap}
.log-nothing td{padding:14px 10px;font-family:inherit}
summary{cursor:pointer;margin-left:12px}
pre{max-height:260px;overflow:auto;margin:3px 0 5px 12px;padding:6px 8px;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--m-line);border-radius:4px;background:var(--m-bar);color:var(--m-ink);font:inherit}
.log-unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
@container (max-width:620px){
thead{position:absolute;clip-path:inset(50%)}
tbody tr:not(.log-nothing){display:grid;grid-template-columns:auto auto 1fr;padding:3px 0;border-top:1px solid color-mix(in srgb,var(--m-line) 45%,transparent);box-shadow:inset 3px 0 var(--mark)}
td{border-top:0;padding:0 0 0 10px;box-shadow:none!important}
.log-time,.log-source,.log-level{width:auto;font-size:11px}
td.log-text{grid-column:1/-1;padding-right:8px}
input{max-width:none}
.log-count,.log-tools>button{order:-1}
b{order:-2}
.log-scroll{max-height:400px}}
}
.jp-OutputArea-child:has(.mcpapp-log)+.jp-OutputArea-child:has(.mcpapp-log-static){display:none}
`;

/** Makes sure that the style sheet is there for `root`. */
export function installStyle(root: HTMLElement): void {
  installSheet(root, "mcpapp-log-style", CSS);
}
