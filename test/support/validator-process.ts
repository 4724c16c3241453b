/** A validator as its operator has it: a folder with a key, an owner, an account that pays, and the duty loop; all by the binary. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type KeelsonProcess, runKeelson, startKeelson } from './keelson-process.ts'

const PASSWORD = 'of a test only'

export interface ValidatorAccounts {
  readonly ownerKey: Hex
  /** Of the account that pays for attestations and reports. */
  readonly feeKey: Hex
}

export interface ValidatorNode {
  readonly rpcUrl: string
  readonly rollupRpcUrl: string
}

export interface ValidatorOperator {
  /** Of the signing key. */
  readonly address: Address
  readonly key: Hex
  readonly dataDir: string
  /** `keelson validator <command>` as the owner; what it printed with --json. */
  asOwner(command: string, ...args: readonly string[]): Promise<Readonly<Record<string, unknown>>>
  run(metricsPort: number, ...args: readonly string[]): KeelsonProcess
}

/** The key is made here, so that a test can sign with it what no operator would, and taken over by the command for that. */
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
