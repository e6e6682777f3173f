// What is really drawn: counts the pixels of a picture that have one of the state colours.

// The viewer's state colours (design of the viewer: every state has one in each theme).
export const STATE_COLOURS = {
  dark: { waiting: '#727794', ready: '#F6A209', dispatched: '#6DBCFC', succeeded: '#16855A', failed: '#CD440D', orphaned: '#E5C7D6' },
  light: { waiting: '#8A8C8F', ready: '#C38A06', dispatched: '#0D8BE7', succeeded: '#0D3D30', failed: '#A51C0A', orphaned: '#883283' },
};

// `png`: Buffer. -> {state: pixels within 12 of its colour in each channel}. Decoded by a blank page of the same browser.
export async function countStates(browser, png, theme) {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async ({ base64, colours }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const wanted = Object.entries(colours).map(([state, hex]) => [state, [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);
      const counts = Object.fromEntries(wanted.map(([state]) => [state, 0]));
      for (let i = 0; i < data.length; i += 4) {
        for (const [state, [r, g, b]] of wanted) {
          if (Math.abs(data[i] - r) <= 12 && Math.abs(data[i + 1] - g) <= 12 && Math.abs(data[i + 2] - b) <= 12) counts[state]++;
        }
      }
      return counts;
    }, { base64: png.toString('base64'), colours: STATE_COLOURS[theme] });
  } finally {
    await page.close();
  }
}
