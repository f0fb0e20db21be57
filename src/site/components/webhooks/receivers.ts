/** Programs for receivers, which tests run as they are. */
export const PYTHON = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

# Empty until you have subscribed: without it, only the challenge is answered.
KEY = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))

def is_genuine(headers, body):
    event, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if not KEY or abs(time.time() - int(timestamp)) > 300:
        return False
    mac = hmac.new(KEY, f"{event}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(mac).decode()
    return any(hmac.compare_digest(expected, one) for one in headers["webhook-signature"].split())

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        event = json.loads(body)
        if event["type"] == "webhook.challenge":
            self.answer(200, event["data"]["challenge"])
        elif is_genuine(self.headers, body):
            self.answer(204)
            print(event["type"], event["data"], flush=True)  # what you want to do
        else:
            self.answer(401)

    def answer(self, status, text=""):
        self.send_response(status)
        if status == 200:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()`;

export const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

// Empty until you have subscribed: without it, only the challenge is answered.
const KEY = Buffer.from((env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64');

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (KEY.length === 0 || !(Math.abs(Date.now() / 1000 - timestamp) < 300)) return false;
  const mac = createHmac('sha256', KEY).update(\`\${id}.\${timestamp}.\`).update(body).digest('base64');
  const expected = Buffer.from(\`v1,\${mac}\`);
  const isEqual = (one) => one.length === expected.length && timingSafeEqual(one, expected);
  return signatures.split(' ').some((one) => isEqual(Buffer.from(one)));
}

createServer(async (request, response) => {
  // The bytes as they came: a signature does not hold for JSON that was parsed and written again.
  const body = Buffer.concat(await request.toArray());
  const { type, data } = JSON.parse(body);
  if (type === 'webhook.challenge') return response.end(data.challenge);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  console.log(type, data); // what you want to do
}).listen(env.PORT, '127.0.0.1');`;

/** ID, TIMESTAMP and SIGNATURE are the three headers. */
export const SHELL = `key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
mac=$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
case " $SIGNATURE " in
  *" v1,$mac "*) echo genuine ;;
  *) echo forged; exit 1 ;;
esac`;
