import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createHttpClient } from '@keelson/runtime'

/** The largest chain configuration has 4 KiB. */
const MAX_BYTES = 256 * 1024

/** `registry` is a folder or base URL. Throws Error, also for a file above 256 KiB or after `timeoutMs`. */
export async function readRegistryFile(registry: string, path: string, timeoutMs: number): Promise<string> {
  return /^https?:\/\//.test(registry) ? download(`${registry.replace(/\/+$/, '')}/${path}`, timeoutMs) : readLocal(join(registry, path))
}

async function readLocal(file: string): Promise<string> {
  const { size } = await stat(file)
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, at most ${MAX_BYTES} are expected`)
  return readFile(file, 'utf8')
}

async function download(url: string, timeoutMs: number): Promise<string> {
  const http = createHttpClient()
  try {
    const { status, body } = await http.send({ url, method: 'GET', timeoutMs, maxResponseBytes: MAX_BYTES })
    if (status !== 200) throw new Error(`${url} answers ${status}`)
    return Buffer.from(body).toString('utf8')
  } finally {
    http.close()
  }
}
