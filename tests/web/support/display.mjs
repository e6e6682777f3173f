// A virtual screen: Firefox gives no WebGL 2 without one.
import { spawn } from 'node:child_process';

// -> {display: ':99', close()}. Rejects if Xvfb is not installed.
export function startDisplay() {
  return new Promise((resolve, reject) => {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    server.on('error', reject);
    server.on('exit', () => reject(new Error('Xvfb ended before it had a screen')));
    let text = '';
    server.stdio[3].on('data', (data) => {
      text += data;
      if (text.includes('\n')) resolve({ display: `:${text.trim()}`, close: () => server.kill() });
    });
  });
}
