/* SPDX-License-Identifier: BSD-2-Clause */
/* Script of the report's page. It only adds comfort: tables that sort, commands that can be copied, and the cables to
 * repair open when printed. scripts/embed.awk makes C strings of it: comments on lines of their own, line breaks and
 * indentation are dropped, so every statement ends with a semicolon or a brace. */
(function(){'use strict';
function each(s,f){Array.prototype.forEach.call(document.querySelectorAll(s),f)}
function key(row,i){var c=row.cells[i],v=c.getAttribute('data-v');return v===null?c.textContent.trim():v}
/* Numbers by value, what was not measured last, text by its letters; ties keep their order. */
function compare(a,b,up){
  var x=parseFloat(a),y=parseFloat(b),n=isNaN(x),m=isNaN(y);
  if(n&&m)return up*a.localeCompare(b);
  if(n||m)return n?1:-1;
  return up*(x-y)
}
function sort(table,i,th){
  var up=th.getAttribute('aria-sort')==='ascending'?-1:1,body=table.tBodies[0];
  if(!th.hasAttribute('aria-sort')&&th.hasAttribute('data-high'))up=-1;
  Array.prototype.map.call(body.rows,function(r,j){return{r:r,k:key(r,i),j:j}})
    .sort(function(a,b){return compare(a.k,b.k,up)||a.j-b.j})
    .forEach(function(e){body.appendChild(e.r)});
  Array.prototype.forEach.call(th.parentNode.cells,function(c){c.removeAttribute('aria-sort')});
  th.setAttribute('aria-sort',up>0?'ascending':'descending')
}
each('table.sort',function(t){
  Array.prototype.forEach.call(t.tHead.rows[0].cells,function(th,i){
    var b=document.createElement('button');
    b.type='button';
    b.textContent=th.textContent;
    th.textContent='';
    th.appendChild(b);
    b.addEventListener('click',function(){sort(t,i,th)})
  })
});
/* For browsers and pages without a clipboard. */
function old(text){
  var a=document.createElement('textarea');
  a.value=text;
  document.body.appendChild(a);
  a.select();
  try{document.execCommand('copy')}catch(e){}
  a.remove()
}
each('.cmd',function(d){
  var b=document.createElement('button');
  b.type='button';
  b.className='copy';
  b.textContent='Copy';
  b.setAttribute('aria-live','polite');
  d.className='cmd on';
  d.appendChild(b);
  b.addEventListener('click',function(){
    var t=d.querySelector('code').textContent;
    function done(){b.textContent='Copied';setTimeout(function(){b.textContent='Copy'},1500)}
    if(navigator.clipboard)navigator.clipboard.writeText(t).then(done,function(){old(t);done()});
    else{old(t);done()}
  })
});
addEventListener('beforeprint',function(){each('#deploy details',function(d){d.open=true})});
})();
