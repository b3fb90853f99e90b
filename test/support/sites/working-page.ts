/** The same work on any machine, in turns after the first paint, each a task of its own. */
export const workingPage = `<!doctype html><html lang="en"><title>Work</title><h1>Work</h1><script>
let left = 12;
const next = () => {
  let sum = 0;
  for (let turn = 0; turn < 8e6; turn += 1) sum += Math.sqrt(turn);
  globalThis.sum = sum;
  if (--left > 0) setTimeout(next, 0);
};
requestAnimationFrame(() => setTimeout(next, 0));
</script></html>`;
