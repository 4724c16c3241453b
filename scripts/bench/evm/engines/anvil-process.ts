import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { anvilBinary } from '../../../../packages/devnet/src/l1/anvil.ts'

export interface AnvilProcess {
  request(method: string, params: readonly unknown[]): Promise<unknown>
  stop(): Promise<void>
}

const START_LIMIT_MS = 30_000
const RETRY_MS = 50
const REQUEST_LIMIT_MS = 300_000

/** On a free port of the loopback interface, without gas limits. */
export async function startAnvil(hardfork: string): Promise<AnvilProcess> {
  const port = await freePort()
  const limits = ['--disable-block-gas-limit', '--no-request-size-limit']
  const args = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--accounts',
    '0',
    '--no-mining',
    '--hardfork',
    hardfork,
    ...limits,
    '--quiet',
  ]
  const child = spawn(anvilBinary(), args, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const anvil: AnvilProcess = { request: (method, params) => request(url, method, params), stop: () => stop(child) }
  try {
    await answering(child, anvil)
  } catch (error) {
    await anvil.stop()
    throw error
  }
  return anvil
}

async function answering(child: ChildProcess, anvil: AnvilProcess): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS
  for (;;) {
    if (child.exitCode !== null) throw new Error(`anvil ended with code ${child.exitCode} instead of listening`)
    try {
      await anvil.request('eth_chainId', [])
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

async function request(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  })
  const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: { readonly message: string } }
  if (error !== undefined) throw new Error(`anvil: ${method}: ${error.message}`)
  return result
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
