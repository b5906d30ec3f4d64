// Plays the page as a reader does. The result is a list of what went wrong. What `moves`, with the cursors in curves over time,
// has to look different after a while.
async (moves) => {
  const wrong = [];
  const expect = (truth, what) => truth || wrong.push(what);
  const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const [button, slider] = ["play", "time"].map((id) => document.getElementById(id));
  const canvases = [...document.querySelectorAll("canvas")];
  const label = (canvas) => canvas.getAttribute("aria-label");
  // What is drawn: read from a copy, since reading changes how a browser draws.
  const pixels = (canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  };
  const differ = (a, b) => a.length !== b.length || a.some((pixel, k) => pixel !== b[k]);
  const key = (name, target = document.body) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
  await frame();

  const samples = recording.samples;
  expect(canvases.length > 0 === samples > 0, `${canvases.length} panels`);
  for (const canvas of canvases) {
    const drawn = pixels(canvas);
    expect(drawn.some((pixel) => pixel !== drawn[0]), `blank: ${label(canvas)}`);
  }
  expect(document.documentElement.scrollWidth <= innerWidth, "wider than the window");
  for (const control of document.querySelectorAll("button, input, select")) {
    const name = control.textContent.trim() || control.labels?.[0]?.textContent.trim();
    expect(name, `without a label: ${control.outerHTML}`);
  }
  if (samples < 2) {
    expect(button.disabled && slider.disabled, "plays without a motion");
    return wrong;
  }

  const before = canvases.map(pixels);
  button.click();
  await wait(700);
  expect(button.textContent.trim() === "Pause", "does not play");
  expect(Number(slider.value) > 0, "the time does not advance");
  canvases.forEach((canvas, i) => {
    const moving = canvas.closest(`.over-time, ${moves}`);
    expect(!moving || differ(pixels(canvas), before[i]), `still: ${label(canvas)}`);
  });

  key(" ");
  const paused = slider.value;
  await wait(200);
  expect(slider.value === paused && button.textContent.trim() === "Play", "the space bar does not pause");
  key("End");
  expect(slider.value === slider.max, "the key End does not show the last sample");
  key("ArrowLeft");
  expect(Number(slider.value) < Number(slider.max), "the left arrow does not step back");
  key("Home");
  expect(Number(slider.value) === 0, "the key Home does not show the first sample");
  const clock = document.getElementById("clock");
  const start = clock.textContent;
  slider.value = slider.max / 2;
  slider.dispatchEvent(new Event("input"));
  expect(clock.textContent !== start, "the slider does not set the time");

  const turned = document.querySelector(".in-space canvas");
  if (turned) {
    const shown = pixels(turned);
    key("ArrowLeft", turned);
    expect(differ(pixels(turned), shown), "the left arrow does not turn the picture");
  }
  const phase = document.querySelector(".phase canvas");
  const shown = pixels(phase);
  const choice = document.querySelector(".phase select");
  choice.value = recording.time;
  choice.dispatchEvent(new Event("change"));
  expect(differ(pixels(phase), shown), "the choice of an axis does not change the phase plane");

  // From the end, it plays from the start again, to the end.
  key("End");
  document.getElementById("speed").selectedIndex = document.getElementById("speed").options.length - 1;
  button.click();
  await frame();
  expect(Number(slider.value) < Number(slider.max), "does not start again");
  for (let waited = 0; waited < 100 && button.textContent.trim() === "Pause"; waited++) await wait(100);
  expect(slider.value === slider.max && button.textContent.trim() === "Play", "does not end");
  return wrong;
}
