/** The widget's style sheet, on JupyterLab's variables with fallbacks; put once into each document or shadow root. */

import { installSheet, PALETTE } from "./sheet";

const CSS = `
.mcpapp-slot{display:block;width:100%;min-width:0}
.mcpapp{
${PALETTE};
--m-hover:var(--jp-layout-color2,rgba(128,128,128,.16));
--m-good:var(--jp-success-color1,#388e3c);
box-sizing:border-box;display:flex;flex-direction:column;min-width:0;width:100%}
.mcpapp[data-theme=dark]{color-scheme:dark}
.mcpapp *{box-sizing:border-box}
.mcpapp [hidden]{display:none!important}
.mcpapp-plain{border-color:transparent;border-radius:0}
.mcpapp-header{flex:none;background:var(--m-bar);border-bottom:1px solid var(--m-line)}
.mcpapp-plain .mcpapp-header{background:none}
.mcpapp-header{container-type:inline-size}
.mcpapp-line{display:flex;flex-wrap:wrap;align-items:center;gap:2px;min-height:30px;padding:0 4px 0 10px}
.mcpapp-title{display:flex;align-items:baseline;gap:7px;flex:1 1 0;min-width:0;white-space:nowrap}
.mcpapp-app{font-weight:600;flex:none;max-width:calc(100% - 21px);overflow:hidden;text-overflow:ellipsis}
.mcpapp-tool{color:var(--m-quiet);flex:0 1 auto;min-width:0;overflow:hidden;text-overflow:ellipsis}
.mcpapp-note{color:var(--m-quiet);font-size:.923em;flex:0 1 auto;max-width:60%;margin:0 6px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
@container (width<540px){.mcpapp-note:not(:empty){order:1;flex:1 1 100%;max-width:none;margin:0 0 5px 14px;white-space:normal}}
.mcpapp-dot{flex:none;align-self:center;width:7px;height:7px;border-radius:50%;background:var(--m-quiet);opacity:.7}
.mcpapp-dot[data-tone=live]{background:var(--m-good);opacity:1}
.mcpapp-dot[data-tone=warning]{background:var(--m-warn);opacity:1}
.mcpapp-dot[data-tone=failed]{background:var(--m-error);opacity:1}
.mcpapp-dot[data-tone=waiting]{background:var(--m-brand);animation:mcpapp-pulse 1.4s ease-in-out infinite}
@keyframes mcpapp-pulse{50%{opacity:.2}}
.mcpapp-icon{width:16px;height:16px;flex:none;fill:none;stroke:currentColor;stroke-width:1.3;stroke-linecap:round;stroke-linejoin:round}
.mcpapp button{font:inherit;color:inherit;cursor:pointer;border:1px solid var(--m-line);border-radius:4px;background:var(--m-bg);padding:3px 11px;line-height:1.4}
.mcpapp button:hover{background:var(--m-hover)}
.mcpapp :is(button,input,select):focus-visible{outline:2px solid var(--m-brand);outline-offset:1px}
.mcpapp button.mcpapp-tool-button{flex:none;display:inline-flex;padding:3px;border-color:transparent;background:none;color:var(--m-quiet)}
.mcpapp button.mcpapp-tool-button:hover{background:var(--m-hover);color:var(--m-ink)}
.mcpapp button.mcpapp-primary{background:var(--m-brand);border-color:var(--m-brand);color:#fff}
.mcpapp button.mcpapp-primary:hover{filter:brightness(1.08)}
.mcpapp button:is(:disabled,[aria-disabled=true]){opacity:.5;cursor:default}
.mcpapp-menu{position:fixed;inset:auto;margin:0;padding:4px;min-width:170px;border:1px solid var(--m-line);border-radius:6px;background:var(--m-bar);color:var(--m-ink);box-shadow:var(--jp-elevation-z6,0 6px 18px rgba(0,0,0,.2));font:inherit}
.mcpapp-menu:popover-open{display:flex;flex-direction:column}
.mcpapp-menu button{display:flex;align-items:center;gap:9px;border-color:transparent;background:none;padding:5px 8px;text-align:left}
.mcpapp-strip{display:flex;flex-wrap:wrap;align-items:flex-start;gap:8px 10px;padding:9px 10px;border-top:1px solid var(--m-line);background:color-mix(in srgb,var(--m-brand) 7%,var(--m-bar))}
.mcpapp-strip>.mcpapp-icon{margin-top:1px;color:var(--m-brand)}
.mcpapp-ask{flex:1 1 min(260px,100% - 30px);min-width:0}
.mcpapp-words{overflow-wrap:anywhere;white-space:pre-line}
.mcpapp-actions{display:flex;flex-wrap:wrap;gap:6px;margin-left:auto}
.mcpapp-quiet{color:var(--m-quiet);font-size:.923em}
.mcpapp p{margin:3px 0 0}
.mcpapp :is(code,pre){font-family:var(--jp-code-font-family,ui-monospace,monospace);font-size:.923em}
.mcpapp code{background:none;padding:0;color:inherit}
.mcpapp .mcpapp-text{margin:6px 0 0;padding:6px 8px;max-height:142px;overflow:auto;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;border-radius:4px;border:1px solid var(--m-line);background:var(--m-bg);color:var(--m-ink)}
.mcpapp .mcpapp-prose{font:inherit}
.mcpapp .mcpapp-url{word-break:break-all}
.mcpapp button.mcpapp-more{margin-top:4px;padding:0;border:0;background:none;color:var(--m-brand)}
.mcpapp-files{margin:4px 0 0;padding:0 0 0 16px}
.mcpapp-form{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(240px,100%),1fr));align-items:start;gap:10px 18px;margin-top:9px}
.mcpapp-strip:has(.mcpapp-form) .mcpapp-actions{flex-basis:100%;justify-content:flex-end}
.mcpapp-field{display:grid;gap:3px}
.mcpapp-field>label{font-weight:500}
.mcpapp-required::after{content:" *";color:var(--m-quiet)}
.mcpapp-field-boolean{grid-template-columns:auto 1fr;column-gap:7px;align-items:center}
.mcpapp-field-boolean>label{order:1}
.mcpapp-field-boolean>.mcpapp-quiet,.mcpapp-field-boolean>.mcpapp-error{order:2;grid-column:2}
.mcpapp :is(input:not([type=checkbox]),select){font:inherit;width:100%;height:28px;padding:3px 7px;color:inherit;border:1px solid var(--jp-border-color1,rgba(128,128,128,.5));border-radius:4px;background:var(--m-bg)}
.mcpapp input[type=checkbox]{margin:0;accent-color:var(--m-brand)}
.mcpapp [aria-invalid=true]{border-color:var(--m-error)!important}
.mcpapp-choices{display:flex;flex-wrap:wrap;gap:5px 14px}
.mcpapp-choices label{display:inline-flex;align-items:center;gap:6px}
.mcpapp-error{color:var(--m-error);font-size:.923em}
.mcpapp-error:empty{display:none}
.mcpapp-body{position:relative;overflow:hidden;flex:1 1 auto;min-height:0}
.mcpapp-frame{display:block;width:100%;height:var(--mcpapp-height,300px)}
.mcpapp-inset .mcpapp-frame{width:calc(100% - 20px);margin:10px}
.mcpapp-panel{display:flex;align-items:center;gap:11px;padding:18px 14px;min-height:72px}
.mcpapp-frame+.mcpapp-panel{position:absolute;inset:0;background:var(--m-bg)}
.mcpapp-loading{justify-content:center;color:var(--m-quiet);min-height:var(--mcpapp-height,72px)}
.mcpapp-inset .mcpapp-loading{min-height:calc(var(--mcpapp-height,52px) + 20px)}
.mcpapp-spinner{width:16px;height:16px;border-radius:50%;border:2px solid var(--m-line);border-top-color:var(--m-brand);animation:mcpapp-spin .8s linear infinite}
@keyframes mcpapp-spin{to{transform:rotate(1turn)}}
.mcpapp-reason>div{flex:1 1 auto;min-width:0;overflow-wrap:anywhere}
.mcpapp-reason>.mcpapp-icon{color:var(--m-warn);width:20px;height:20px}
.mcpapp:has([data-tone=ended]) .mcpapp-reason>.mcpapp-icon{color:var(--m-quiet)}
.mcpapp:not(.mcpapp-live) .mcpapp-way{display:none}
.mcpapp-reason-title{font-weight:600}
.mcpapp-reason p{white-space:pre-line}
.mcpapp-next{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 6px}
.mcpapp .mcpapp-next code{padding:0 5px;border:1px solid var(--m-line);border-radius:3px}
.mcpapp-slot:has(>.mcpapp[data-mode=pip])::after{content:"Shown in a small window";display:block;padding:10px;color:var(--jp-ui-font-color2,GrayText)}
.mcpapp-question:not(:has(.mcpapp-strip)),.mcpapp-question .mcpapp-body{display:none}
.mcpapp-question .mcpapp-header{border:0}
.mcpapp-question .mcpapp-strip:first-child,.mcpapp-bare:not(.mcpapp-out) .mcpapp-strip:first-child{border-top:0}
.mcpapp-question .mcpapp-line,.mcpapp-bare:not(.mcpapp-out) .mcpapp-line:not(:has(.mcpapp-note:not(:empty))){display:none}
.mcpapp-bare:not(.mcpapp-out) .mcpapp-header:not(:has(.mcpapp-strip,.mcpapp-note:not(:empty))){border:0}
.mcpapp[data-mode=fullscreen]{position:fixed;inset:0;z-index:10000;width:auto;height:auto;max-width:none;max-height:none;margin:0;padding:0;border:0;border-radius:0}
.mcpapp[data-mode=pip]{position:fixed;inset:auto 22px 22px auto;z-index:10000;width:min(440px,calc(100vw - 44px));height:min(340px,calc(100vh - 44px));margin:0;padding:0;box-shadow:var(--jp-elevation-z12,0 8px 30px rgba(0,0,0,.3))}
.mcpapp-out .mcpapp-frame{height:100%}
.mcpapp-inset.mcpapp-out .mcpapp-frame{height:calc(100% - 20px)}
.mcpapp-out .mcpapp-header{max-height:60%;overflow:auto}
@media (prefers-reduced-motion:reduce){.mcpapp-dot,.mcpapp-spinner{animation-duration:3s}}
.jp-OutputArea-child:has(.mcpapp-live)+.jp-OutputArea-child:has(.mcpapp-card){display:none}
`;

/** Makes sure that the style sheet is there for `slot`. */
export function installStyle(slot: HTMLElement): void {
  installSheet(slot, "mcpapp-style", CSS);
}
