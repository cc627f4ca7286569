const manifest = JSON.parse(document.getElementById('phlexor-manifest').textContent);
document.title = manifest.title;
document.getElementById('page').textContent = manifest.title;
