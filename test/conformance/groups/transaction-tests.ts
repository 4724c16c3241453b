/** Encoded transactions under each fork's rules: refused, or the right hash, sender and intrinsic gas. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EthFork, ethParameters, l1ForkRules } from '@keelson/chainspec'
import { intrinsicGas, NO_ROLLUP_FEES, validateFunds, validateSender, validateTransaction } from '@keelson/evm'
import {
  bytesToHex,
  CodecError,
  createPureCrypto,
  decodeSignedTransaction,
  hexToBytes,
  recoverSender,
  type SignedTransaction,
} from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { STATE_TEST_FORKS } from '../state-test.ts'

interface Result {
  readonly hash?: string
  readonly sender?: string
  readonly intrinsicGas: string
  readonly exception?: string
}
interface TransactionTest {
  readonly txbytes: string
  readonly result: Readonly<Record<string, Result>>
}

const LEAST_CASES = 2000
const CHAIN_ID = 1n
const RICHEST_WEI = (1n << 256n) - 1n
const crypto = createPureCrypto()

interface Accepted {
  readonly tx: SignedTransaction
  readonly sender: string
}

/** Or why the transaction can stand in no block of the fork, whatever the state. */
function accept(raw: Uint8Array, fork: EthFork): Accepted | string {
  let tx: SignedTransaction
  try {
    tx = decodeSignedTransaction(raw)
  } catch (error) {
    if (error instanceof CodecError) return error.message
    throw error
  }
  const sender = recoverSender(tx, crypto, ethParameters(fork).lowSignatures)
  if (sender === null) return 'invalid sender'
  const account = { nonce: tx.nonce, balanceWei: 0n, code: new Uint8Array(0) }
  const problem =
    validateTransaction(tx, l1ForkRules(fork), CHAIN_ID) ??
    validateSender(tx, account) ??
    validateFunds({ ...tx, valueWei: 0n }, NO_ROLLUP_FEES, RICHEST_WEI)
  return problem === null ? { tx, sender: bytesToHex(sender) } : problem.message
}

function judge(raw: Uint8Array, fork: EthFork, expected: Result): void {
  const outcome = accept(raw, fork)
  if (expected.exception !== undefined) {
    assert.ok(typeof outcome === 'string', `should be refused: ${expected.exception}`)
    return
  }
  assert.ok(typeof outcome === 'object', `should be accepted, but: ${outcome}`)
  assert.equal(outcome.tx.hash, expected.hash)
  assert.equal(outcome.sender, expected.sender)
  assert.equal(intrinsicGas(outcome.tx, ethParameters(fork)).gas, BigInt(expected.intrinsicGas))
}

function casesOf(path: string, file: Readonly<Record<string, TransactionTest>>): ConformanceCase[] {
  return Object.entries(file).flatMap(([name, { txbytes, result }]) =>
    Object.entries(result).map(([forkName, expected]) => {
      const fork = STATE_TEST_FORKS[forkName]
      assert.ok(fork !== undefined, `${path}: unknown fork ${forkName}`)
      return { id: `${path}/${name}/${forkName}`, run: () => judge(hexToBytes(txbytes), fork, expected) }
    }),
  )
}

export const transactionTests: ConformanceGroup = {
  name: 'transaction-tests',
  load(vectors): ConformanceCase[] {
    const root = join(vectors, 'ethereum-tests', 'TransactionTests')
    const cases = readdirSync(root).flatMap((folder) =>
      readdirSync(join(root, folder)).flatMap((file) =>
        casesOf(`${folder}/${file.replace(/\.json$/, '')}`, JSON.parse(readFileSync(join(root, folder, file), 'utf8'))),
      ),
    )
    assert.ok(cases.length >= LEAST_CASES, `expected at least ${LEAST_CASES} cases, got ${cases.length}`)
    return cases
  },
}
