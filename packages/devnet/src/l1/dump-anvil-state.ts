import { createHttpClient } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 1024 * 1024 * 1024

/** The content of anvil's `--state` file, with gzip. Throws DevnetError `node/devnet`, HttpClientError. */
export async function dumpAnvilState(url: string): Promise<Uint8Array> {
  const http = createHttpClient()
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [true] })
    const headers = { 'content-type': 'application/json' }
    const answer = await http.send({ url, method: 'POST', headers, body, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES })
    const { result, error } = JSON.parse(Buffer.from(answer.body).toString()) as { result?: string; error?: { message: string } }
    if (typeof result !== 'string') throw new DevnetError('node/devnet', `L1 does not dump its state: ${error?.message ?? 'no result'}`)
    return Buffer.from(result.slice(2), 'hex')
  } finally {
    http.close()
  }
}
