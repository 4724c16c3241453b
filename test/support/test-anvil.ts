import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { anvilBinary } from '../../packages/devnet/src/l1/anvil.ts'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { rpcCall } from './json-rpc.ts'

export interface TestAnvil {
  readonly url: string
  // biome-ignore lint/suspicious/noExplicitAny: a JSON answer of any shape, picked apart by the test
  rpc(method: string, ...params: readonly unknown[]): Promise<any>
  stop(): Promise<void>
}

/** Mines only when asked, and has no accounts. */
export async function startTestAnvil(genesis: { readonly chainId: number; readonly timestampSec: number }): Promise<TestAnvil> {
  const port = await freePort()
  const start = ['--port', String(port), '--chain-id', String(genesis.chainId), '--timestamp', String(genesis.timestampSec)]
  const child = spawn(anvilBinary(), [...start, '--accounts', '0', '--no-mining', '--hardfork', 'prague', '--quiet'], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const rpc = (method: string, ...params: readonly unknown[]) => rpcCall(url, method, params)
  await eventually('anvil answering', () => rpc('eth_chainId'))
  return { url, rpc, stop: () => ended(child) }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
