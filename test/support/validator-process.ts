import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type KeelsonProcess, runKeelson, startKeelson } from './keelson-process.ts'

const PASSWORD = 'of a test only'

export interface ValidatorAccounts {
  readonly ownerKey: Hex
  readonly feeKey: Hex
}

export interface ValidatorNode {
  readonly rpcUrl: string
  readonly rollupRpcUrl: string
}

export interface ValidatorOperator {
  readonly address: Address
  readonly key: Hex
  readonly dataDir: string
  asOwner(command: string, ...args: readonly string[]): Promise<Readonly<Record<string, unknown>>>
  run(metricsPort: number, ...args: readonly string[]): KeelsonProcess
}

export async function createValidatorOperator(
  folder: string,
  { rpcUrl, rollupRpcUrl }: ValidatorNode,
  { ownerKey, feeKey }: ValidatorAccounts,
): Promise<ValidatorOperator> {
  const [dataDir, raw, password] = ['data', 'raw', 'password'].map((name) => join(folder, name)) as [string, string, string]
  const key = generatePrivateKey()
  mkdirSync(folder, { recursive: true })
  writeFileSync(raw, `${key}\n`, { mode: 0o600 })
  writeFileSync(password, `${PASSWORD}\n`, { mode: 0o600 })
  const own = ['--data-dir', dataDir, '--password-file', password]

  async function json(args: readonly string[], privateKey?: Hex): Promise<Readonly<Record<string, unknown>>> {
    const env = privateKey === undefined ? {} : { KEELSON_PRIVATE_KEY: privateKey }
    const { code, stdout, stderr } = await runKeelson(['validator', ...args, '--json'], { env })
    assert.equal(code, 0, `keelson validator ${args.join(' ')}\n${stdout}${stderr}`)
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>
  }

  const { address } = await json(['keys', 'import', raw, ...own, '--never-signed', '--scrypt-n', '4096'])
  assert.equal(address, privateKeyToAccount(key).address.toLowerCase())
  return {
    address: address as Address,
    key,
    dataDir,
    asOwner: (command, ...args) => {
      const folders = command === 'register' ? own : ['--data-dir', dataDir]
      return json([command, ...folders, '--l2.rpc', rpcUrl, ...args], ownerKey)
    },
    run: (metricsPort, ...args) =>
      startKeelson(
        [
          ...['validator', 'run', ...own, '--machine-dir', join(folder, 'machine'), '--log.format', 'json'],
          ...['--l2.rpc', rpcUrl, '--rollup.rpc', rollupRpcUrl, '--metrics.port', String(metricsPort), ...args],
        ],
        { env: { KEELSON_PRIVATE_KEY: feeKey } },
      ),
  }
}
