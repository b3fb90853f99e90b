/** A page that does the same work on any machine after its first paint, as separate tasks. */
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
