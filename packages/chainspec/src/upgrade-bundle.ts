/**
 * Reads a network upgrade bundle. specs: protocol/l2-upgrades-1-execution.md#bundle-format; version 1.1.0, with `extraGas`:
 * op-core/nuts/metadata.go in ethereum-optimism/optimism. The source hash covers "<Label> <index>: <intent>", as in op-node
 * (upgrade_transaction.go, `nutBundleForFork`) and kona; the specification does not say. The label is the capitalized name of the
 * fork, but that of Lagoon stayed the name which the fork had before.
 */
import {
  CodecError,
  encodeDeposit,
  hexToBytes,
  parseAddress,
  parseData,
  parseJsonArray,
  parseJsonInteger,
  TX_DEPOSIT,
  upgradeSourceHash,
} from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import type { LaterFork } from './fork-schedule.ts'
import { createJsonReader, type JsonReader, type Parse } from './json-reader.ts'
import type { UpgradeBundle } from './rules.ts'

const WITHOUT_EXTRA_GAS = '1.0.0'
const BUNDLE_VERSION = '1.1.0'
const LABELS: Readonly<Partial<Record<LaterFork, string>>> = { lagoon: 'Interop' }
const TRANSACTION_KEYS: ReadonlySet<string> = new Set(['data', 'from', 'gasLimit', 'intent', 'to'])

/** Throws ChainspecError `chainspec/fork-schedule` with every mistake. */
export function loadUpgradeBundle(fork: LaterFork, json: unknown): UpgradeBundle {
  const mistakes: string[] = []
  const root = createJsonReader(json, mistakes)
  const extraGas = readExtraGas(root.child('metadata'))
  const entries = root.required<unknown[]>('transactions', (value, what) => parseJsonArray(value, what, (entry) => entry), [])
  const deposits = entries.map((entry, index) => readDeposit(fork, index, entry, mistakes))
  if (mistakes.length === 0 && deposits.length === 0) mistakes.push('transactions is empty')
  if (mistakes.length > 0) throw new ChainspecError('chainspec/fork-schedule', `upgrade bundle of ${fork}`, mistakes)
  return {
    transactions: deposits.map((deposit) => deposit.raw),
    gas: deposits.reduce((sum, deposit) => sum + deposit.gasLimit, 0n),
    extraGas,
  }
}

function readExtraGas(metadata: JsonReader): bigint | null {
  const version = metadata.required('version', text, BUNDLE_VERSION)
  const extraGas = metadata.optional('extraGas', (value, what) => BigInt(parseJsonInteger(value, what)), 0n)
  if (version === BUNDLE_VERSION) return extraGas
  if (version !== WITHOUT_EXTRA_GAS)
    metadata.mistake(`metadata.version: expected ${WITHOUT_EXTRA_GAS} or ${BUNDLE_VERSION}, got ${version}`)
  else if (extraGas !== 0n)
    metadata.mistake(`metadata.extraGas: a bundle of version ${WITHOUT_EXTRA_GAS} must not have it, got ${extraGas}`)
  return null
}

function readDeposit(fork: LaterFork, index: number, entry: unknown, mistakes: string[]) {
  const reader = createJsonReader(entry, mistakes, `transactions[${index}]`)
  for (const key of reader.keys)
    if (!TRANSACTION_KEYS.has(key)) reader.mistake(`transactions[${index}].${key} is not a key of an upgrade transaction`)
  const label = LABELS[fork] ?? `${fork.charAt(0).toUpperCase()}${fork.slice(1)}`
  const intent = reader.required('intent', text, '')
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: upgradeSourceHash(`${label} ${index}: ${intent}`),
    from: reader.required('from', address, new Uint8Array(20)),
    to: reader.optional<Uint8Array | null>('to', address, null),
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: BigInt(reader.required('gasLimit', parseJsonInteger, 0)),
    isSystemTx: false,
    data: reader.required('data', (value, what) => parseData(value, what), new Uint8Array(0)),
  })
}

const address: Parse<Uint8Array> = (value, what) => hexToBytes(parseAddress(value, what))

const text: Parse<string> = (value, what) => {
  if (typeof value !== 'string' || value === '') throw new CodecError('codec/json', `${what}: expected text`)
  return value
}
