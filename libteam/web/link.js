// The side of a tab of the connection in worker.js.

let port;
const calls = new Map();

// The token comes with the address that team-serve prints, and leaves the address bar at once.
function takeToken() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const brought = fragment.get('token');
  if (brought) {
    sessionStorage.setItem('teamkit-token', brought);
    fragment.delete('token');
    history.replaceState(null, '', `${location.pathname}${fragment.size ? `#${fragment}` : ''}`);
  }
  return sessionStorage.getItem('teamkit-token') ?? '';
}

export function connect(team, onMessage) {
  const token = takeToken();
  if (!port) {
    const options = { type: 'module', name: 'teamkit' };
    port = window.SharedWorker ? new SharedWorker('worker.js', options).port : new Worker('worker.js', options);
    port.onmessage = ({ data }) => {
      const waiting = calls.get(data.id);
      if (!waiting) return onMessage(data);
      calls.delete(data.id);
      if (data.error === undefined) waiting.done(data.answer);
      else waiting.failed(new Error(data.error));
    };
    addEventListener('pagehide', () => port.postMessage({ bye: true }));
    addEventListener('pageshow', (event) => event.persisted && location.reload());
    addEventListener('hashchange', () => location.hash.includes('token=') && location.reload());
    const look = () => document.hidden || port.postMessage({ look: true });
    document.addEventListener('visibilitychange', look);
    addEventListener('online', look);
  }
  port.postMessage({ hello: { token, team } });
}

// Throws an Error with the text of the server.
export function call(method, path, body, isText = false) {
  const id = crypto.getRandomValues(new Uint32Array(1))[0];
  return new Promise((done, failed) => {
    calls.set(id, { done, failed });
    port.postMessage({ call: { id, method, path, body, isText } });
  });
}
