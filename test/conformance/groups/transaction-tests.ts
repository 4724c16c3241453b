import assert from 'node:assert/strict'
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
import { assertRefused, type Refusal, type StatedExceptions } from '../refusals.ts'
import { STATE_TEST_FORKS } from '../state-test.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'

interface Result {
  readonly hash?: string
  readonly sender?: string
  readonly intrinsicGas: string
  readonly exception?: StatedExceptions
}
interface TransactionTest {
  readonly txbytes: string
  readonly result: Readonly<Record<string, Result>>
}

const CHAIN_ID = 1n
const RICHEST_WEI = (1n << 256n) - 1n
const crypto = createPureCrypto()

interface Accepted {
  readonly tx: SignedTransaction
  readonly sender: string
}

function accept(raw: Uint8Array, fork: EthFork): Accepted | Refusal {
  let tx: SignedTransaction
  try {
    tx = decodeSignedTransaction(raw)
  } catch (error) {
    if (error instanceof CodecError) return { reason: error.code, message: error.message }
    throw error
  }
  const sender = recoverSender(tx, crypto, ethParameters(fork).lowSignatures)
  if (sender === null) return { reason: 'sender', message: 'invalid sender' }
  const account = { nonce: tx.nonce, balanceWei: 0n, code: new Uint8Array(0) }
  const problem =
    validateTransaction(tx, l1ForkRules(fork), CHAIN_ID) ??
    validateSender(tx, account) ??
    validateFunds({ ...tx, valueWei: 0n }, NO_ROLLUP_FEES, RICHEST_WEI)
  return problem ?? { tx, sender: bytesToHex(sender) }
}

function judge(raw: Uint8Array, fork: EthFork, expected: Result): void {
  const outcome = accept(raw, fork)
  if (expected.exception !== undefined) {
    assertRefused('reason' in outcome ? outcome : null, expected.exception, 'the transaction')
    return
  }
  assert.ok(!('reason' in outcome), `should be accepted, but: ${'reason' in outcome ? outcome.message : ''}`)
  assert.equal(outcome.tx.hash, expected.hash)
  assert.equal(outcome.sender, expected.sender)
  assert.equal(intrinsicGas(outcome.tx, ethParameters(fork)).gas, BigInt(expected.intrinsicGas))
}

function casesOf({ id: path, content }: EthereumTestFile): ConformanceCase[] {
  return Object.entries(content as Readonly<Record<string, TransactionTest>>).flatMap(([name, { txbytes, result }]) =>
    Object.entries(result).map(([forkName, expected]) => ({
      id: `${path}/${name}/${forkName}`,
      run: () => {
        const fork = STATE_TEST_FORKS[forkName]
        assert.ok(fork !== undefined, `unknown fork ${forkName}`)
        judge(hexToBytes(txbytes), fork, expected)
      },
    })),
  )
}

export const transactionTests: ConformanceGroup = {
  name: 'transaction-tests',
  under: ['ethereum-tests/'],
  load: (folder) => loadEthereumTests(folder, { format: 'transaction' }, casesOf),
}
