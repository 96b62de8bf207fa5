/* SPDX-License-Identifier: BSD-2-Clause */
/* Style sheet and script of the page. The script only adds comfort: sorting, copying, opening all for print. */
#include "report/page.h"

/* ISO C guarantees no more than 4095 bytes in a literal: pieces. */
/* clang-format off */
const char *const hd_page_style[] = {
    "*{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}",
    "body{margin:0;background:var(--paper);color:var(--ink);font-size:16px;line-height:1.55;",
    "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}",
    "header,main,footer{max-width:1248px;margin:0 auto;padding:0 24px}",
    "a{color:var(--best);text-underline-offset:.15em}",
    ":focus-visible{outline:3px solid var(--best);outline-offset:2px;border-radius:2px}",
    ".skip{position:absolute;left:-999px;top:8px;background:var(--paper);padding:8px 12px;z-index:2}",
    ".skip:focus{left:16px}.eye{margin:40px 0 6px;color:var(--mut);font-size:.875rem}",
    "h1{font-size:clamp(1.6rem,4.2vw,2.4rem);line-height:1.15;letter-spacing:-.015em;margin:0 0 28px;",
    "overflow-wrap:anywhere}",
    "h2{font-size:1.45rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 8px}",
    "h3{font-size:1.05rem;margin:32px 0 8px}p{margin:0 0 14px;max-width:72ch;overflow-wrap:anywhere}",
    ".mut,.lead{color:var(--mut)}.lead{margin-bottom:24px}",
    "section{padding:52px 0 0;margin:52px 0 0;border-top:1px solid var(--rule)}",
    ".verdict{display:grid;grid-template-columns:auto 1fr;gap:6px 18px;align-items:start}.verdict p{margin:0}",
    ".headline{font-size:1.3rem;line-height:1.4;font-weight:600}.verdict .mut{grid-column:2}",
    ".tag{display:inline-block;border-radius:4px;padding:1px 8px;font-size:.8125rem;font-weight:700;",
    "letter-spacing:.03em;color:#fff;white-space:nowrap}",
    ".pass{background:#146c43}.warn{background:#7d4f00}.fail{background:#a8201a}",
    ".verdict>.tag{font-size:1.05rem;padding:4px 14px;margin-top:1px}",
    ".tiles{list-style:none;margin:36px 0 0;padding:0;display:grid;gap:28px;",
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,200px),1fr))}",
    ".tiles li{border-top:3px solid var(--best);padding-top:10px}",
    ".tiles span{display:block;color:var(--mut);font-size:.875rem}",
    ".tiles b{display:block;font-size:2rem;line-height:1.2;font-weight:650;letter-spacing:-.02em}",
    ".tiles b,td,.num{font-variant-numeric:tabular-nums}",
    "nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 20px;padding:0;margin:36px 0 0;font-size:.9375rem}",
    ".two{display:grid;gap:40px;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr))}",
    ".two h2{margin-bottom:16px}.two>*{min-width:0}.finds{list-style:none;margin:0;padding:0}",
    ".finds li{display:grid;grid-template-columns:76px 1fr;gap:12px;padding:9px 0;border-top:1px solid var(--rule);",
    "overflow-wrap:anywhere}",
    ".finds li:first-child{border:0}.finds .tag{justify-self:start;align-self:start;margin-top:2px}",
    ".finds b{display:block}dl{margin:0;display:grid;grid-template-columns:minmax(110px,auto) 1fr;gap:0 18px}",
    "dt,dd{margin:0;padding:9px 0;border-top:1px solid var(--rule);overflow-wrap:anywhere}dt{color:var(--mut)}",
    "dt:first-of-type,dd:first-of-type{border:0}",
    ".words{font-size:.875rem;margin-top:18px;grid-template-columns:max-content 1fr}",
    ".words dt,.words dd{padding:4px 0;border:0}.words dt{color:var(--ink);font-weight:600}",
    "table.wide{font-size:.8438rem}.wide th,.wide td{padding-right:9px}.wide thead th{font-size:.7813rem}",
    ".scroll{overflow-x:auto;margin:0 -4px;padding:4px}",
    "table{border-collapse:collapse;width:100%;font-size:.9375rem}",
    "caption{text-align:left;color:var(--mut);font-size:.875rem;padding-bottom:10px;max-width:calc(100vw - 40px)}",
    "th,td{padding:9px 12px 9px 0;text-align:left;border-top:1px solid var(--rule);vertical-align:top}",
    "thead th{border-top:0;border-bottom:2px solid var(--ink);vertical-align:bottom;font-size:.8125rem;",
    "line-height:1.3}",
    "tbody th{font-weight:400;min-width:110px;overflow-wrap:anywhere}",
    "tfoot td,tfoot th{border-top:2px solid var(--ink);font-weight:400;color:var(--mut)}",
    ".n{text-align:right;white-space:nowrap}thead .n{white-space:normal}",
    "th:last-child,td:last-child{padding-right:0!important}.top{font-weight:700}",
    ".bar{display:block;width:100%;min-width:44px;max-width:72px;height:4px;margin:5px 0 0 auto;",
    "background:linear-gradient(90deg,var(--oth) var(--p,0%),var(--rule) 0)}",
    "tr.best .bar{background:linear-gradient(90deg,var(--best) var(--p,0%),var(--rule) 0)}",
    "tr.cur .bar{background:linear-gradient(90deg,var(--cur) var(--p,0%),var(--rule) 0)}",
    "tr.best th,tr.cur th{font-weight:700}",
    ".is{display:block;font-size:.78rem;line-height:1.35;font-weight:600;color:var(--mut)}",
    ".is.b{color:var(--best)}.is.c{color:var(--cur)}thead button{all:unset;cursor:pointer;display:inline-block}",
    "thead button:focus-visible{outline:3px solid var(--best);outline-offset:2px}",
    "thead button:after{content:'\\a0\\2195';color:var(--mut)}",
    "th[aria-sort=ascending] button:after{content:'\\a0\\2191';color:inherit}",
    "th[aria-sort=descending] button:after{content:'\\a0\\2193';color:inherit}figure{margin:24px 0 0}",
    "figcaption{color:var(--mut);font-size:.875rem;max-width:80ch;margin-top:10px;overflow-wrap:anywhere}",
    "svg.c{display:block;max-width:100%;height:auto}",
    ".sw fieldset{border:0;padding:0;margin:0 0 10px;min-width:0;display:flex;flex-wrap:wrap;gap:6px;",
    "align-items:center}",
    ".sw legend{float:left;color:var(--mut);font-size:.875rem;width:72px;padding:0}",
    ".sw input{position:absolute;opacity:0;width:1px;height:1px}",
    ".sw label{border:1px solid var(--oth);border-radius:999px;padding:3px 13px;font-size:.875rem;cursor:pointer;",
    "max-width:100%;overflow-wrap:anywhere}",
    ".sw input:checked+label{background:var(--ink);border-color:var(--ink);color:var(--paper);font-weight:600}",
    ".sw input:checked+label:before{content:'\\2713\\00a0'}",
    ".sw input:focus-visible+label{outline:3px solid var(--best);outline-offset:2px}.sw .lay{display:none}",
    ".many{list-style:none;margin:20px 0 0;padding:0;display:grid;gap:28px;",
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,310px),1fr))}",
    ".many li{display:flex}.many figure{margin:0;width:100%;display:flex;flex-direction:column}",
    ".many svg.c{margin-top:auto}.many svg.c{min-width:0!important;width:100%;max-width:400px}",
    ".many figcaption{margin:0 0 8px;color:var(--ink)}.many figcaption span{display:block;color:var(--mut)}",
    ".cmd{position:relative;margin:6px 0 14px;max-width:100%}",
    ".cmd pre{margin:0;background:var(--soft);border:1px solid var(--rule);border-radius:6px;padding:10px 14px;",
    "overflow-x:auto}",
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace;font-size:.8438rem}",
    "code{overflow-wrap:anywhere}.cmd.on pre{padding-right:86px}",
    ".copy{position:absolute;right:6px;top:5px;font:inherit;font-size:.8125rem;color:var(--ink);",
    "background:var(--paper);border:1px solid var(--oth);border-radius:5px;padding:2px 10px;cursor:pointer}",
    ".steps{padding:0;margin:0;list-style:none;counter-reset:s}",
    ".steps>li{counter-increment:s;padding:0 0 10px 44px;position:relative}",
    ".steps>li:before{content:counter(s);position:absolute;left:0;top:0;width:28px;height:28px;border-radius:50%;",
    "border:2px solid var(--best);color:var(--best);font-weight:700;text-align:center;line-height:25px;",
    "font-size:.9375rem}",
    "details{border-top:1px solid var(--rule);padding:10px 0}",
    "summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}details table{margin-top:10px}",
    ".notes{margin:0;padding-left:20px;max-width:76ch}.notes li{padding:3px 0;overflow-wrap:anywhere}",
    "footer{color:var(--mut);font-size:.875rem;padding:52px 24px 64px}",
    "@media (max-width:640px){header,main,footer{padding-left:16px;padding-right:16px}",
    "section{padding-top:36px;margin-top:36px}.verdict{grid-template-columns:1fr}",
    ".verdict>.tag{justify-self:start}.verdict .mut{grid-column:1}.finds li{grid-template-columns:1fr;gap:4px}",
    "dl,.words{grid-template-columns:1fr}dd{padding-top:0!important;border:0}.sw legend{float:none;width:100%}}",
    "@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}",
    "@media print{body{font-size:10pt}header,main,footer{max-width:none;padding:0}nav,.copy,.skip{display:none}",
    "section{margin-top:18pt;padding-top:14pt}.eye{margin-top:0}h2,h3{break-after:avoid}",
    "figure,tr,.finds li,.many li,.cmd,.steps>li{break-inside:avoid}.scroll{overflow:visible;margin:0;padding:0}",
    "svg.c{min-width:0!important}.cmd pre{white-space:pre-wrap;overflow-wrap:anywhere}",
    ".many{grid-template-columns:repeat(3,1fr);gap:14pt}table{font-size:8.5pt}",
    "table.wide{font-size:6.2pt}.wide th,.wide td{padding:3pt 3pt 3pt 0}",
    ".wide .bar{min-width:0;height:3px}.wide thead th{font-size:5.8pt;hyphens:auto}.wide .is{font-size:5.6pt}",
    "tfoot{display:table-row-group}thead th button:after{content:none!important}th,td{padding:4pt 6pt 4pt 0}",
    "tbody th{min-width:52pt}.wide tbody th,.wide tfoot th{min-width:46pt}",
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}",
    "@page{margin:14mm}}",
    NULL};
/* clang-format on */

const char hd_page_script[] =
    "(function(){'use strict';"
    "function each(s,f){Array.prototype.forEach.call(document.querySelectorAll(s),f)}"
    "function key(row,i){var c=row.cells[i],v=c.getAttribute('data-v');return v===null?c.textContent.trim():v}"
    /* Numbers by value, what was not measured last, text by its letters; ties keep their order. */
    "function compare(a,b,up){var x=parseFloat(a),y=parseFloat(b),n=isNaN(x),m=isNaN(y);"
    "if(n&&m)return up*a.localeCompare(b);if(n||m)return n?1:-1;return up*(x-y)}"
    "function sort(table,i,th){var up=th.getAttribute('aria-sort')==='ascending'?-1:1,body=table.tBodies[0];"
    "if(!th.hasAttribute('aria-sort')&&th.hasAttribute('data-high'))up=-1;"
    "Array.prototype.map.call(body.rows,function(r,j){return{r:r,k:key(r,i),j:j}})"
    ".sort(function(a,b){return compare(a.k,b.k,up)||a.j-b.j}).forEach(function(e){body.appendChild(e.r)});"
    "Array.prototype.forEach.call(th.parentNode.cells,function(c){c.removeAttribute('aria-sort')});"
    "th.setAttribute('aria-sort',up>0?'ascending':'descending')}"
    "each('table.sort',function(t){Array.prototype.forEach.call(t.tHead.rows[0].cells,function(th,i){"
    "var b=document.createElement('button');b.type='button';b.textContent=th.textContent;th.textContent='';"
    "th.appendChild(b);b.addEventListener('click',function(){sort(t,i,th)})})});"
    "function old(text){var a=document.createElement('textarea');a.value=text;document.body.appendChild(a);a.select();"
    "try{document.execCommand('copy')}catch(e){}a.remove()}"
    "each('.cmd',function(d){var "
    "b=document.createElement('button');b.type='button';b.className='copy';b.textContent='Copy';"
    "b.setAttribute('aria-live','polite');d.className='cmd on';d.appendChild(b);b.addEventListener('click',function(){"
    "var t=d.querySelector('code').textContent;function done(){b.textContent='Copied';"
    "setTimeout(function(){b.textContent='Copy'},1500)}"
    "if(navigator.clipboard)navigator.clipboard.writeText(t).then(done,function(){old(t);done()});else{old(t);done()}})"
    "});"
    "addEventListener('beforeprint',function(){each('details',function(d){d.open=true})});"
    "})();";
