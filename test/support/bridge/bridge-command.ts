import assert from 'node:assert/strict'
import type { DevnetProcess } from '../devnet-process.ts'
import { type Finished, runKeelson } from '../keelson-process.ts'

export function runBridge(devnet: DevnetProcess, account: number, args: readonly string[]): Promise<Finished> {
  const key = devnet.facts.accounts[account]?.privateKey as string
  return runKeelson(['bridge', ...args, '--devnet', devnet.folder], { env: { KEELSON_PRIVATE_KEY: key } })
}

export async function bridgeJson<T = Record<string, string>>(devnet: DevnetProcess, account: number, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runBridge(devnet, account, [...args, '--json'])
  assert.equal(code, 0, `keelson bridge ${args.join(' ')}\n${stdout}${stderr}`)
  return JSON.parse(stdout) as T
}
