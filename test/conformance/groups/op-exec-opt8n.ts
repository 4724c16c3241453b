/** Fixtures without L1 cost. */
import assert from 'node:assert/strict'
import { l1ForkRules } from '@keelson/chainspec'
import { createMemoryView, executeBlock } from '@keelson/evm'
import {
  type Bytes20,
  createPureCrypto,
  encodeReceipt,
  encodeSignedTransaction,
  hexToBytes,
  orderedListRoot,
  recoverSender,
  TX_FEE_MARKET,
  toAddress,
  toHash,
  ZERO_HASH,
} from '@keelson/primitives'
import preinstallsJson from '../../../packages/contracts/artifacts/preinstalls.json' with { type: 'json' }
import { createTestEngine } from '../../support/test-engine.ts'
import type { ConformanceGroup } from '../group.ts'

interface AllocAccount {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}
interface Fixture {
  readonly env: Readonly<Record<'currentCoinbase' | 'currentGasLimit' | 'previousHash' | 'currentNumber' | 'currentTimestamp', string>>
  readonly alloc: Readonly<Record<string, AllocAccount>>
  readonly outAlloc: Readonly<Record<string, AllocAccount>>
  readonly txs: readonly { readonly EIP1559: Readonly<Record<string, string>> }[]
  readonly result: { readonly txRoot: string; readonly receiptRoot: string; readonly receipts: readonly { readonly gasUsed: string }[] }
}

const GOVERNANCE_TOKEN = '0x4200000000000000000000000000000000000042'
/** "Optimism" as a Solidity string in storage. */
const TOKEN_NAME = { '0x03': `0x4f7074696d69736d${'00'.repeat(23)}10` }
const FOLDER = 'op-exec-opt8n/'

function word(hex: string): Uint8Array {
  return hexToBytes(`0x${hex.slice(2).padStart(64, '0')}`)
}

function decode(fields: Readonly<Record<string, string>>) {
  const number = (name: string) => BigInt(fields[name] as string)
  return encodeSignedTransaction(
    {
      type: TX_FEE_MARKET,
      chainId: number('chainId'),
      nonce: number('nonce'),
      gasLimit: number('gasLimit'),
      maxFeePerGasWei: number('maxFeePerGas'),
      maxPriorityFeePerGasWei: number('maxPriorityFeePerGas'),
      to: fields.to === undefined ? null : hexToBytes(fields.to),
      valueWei: number('value'),
      data: hexToBytes(fields.input as string),
      accessList: [],
    },
    { yParity: Number(number('yParity')) as 0 | 1, r: number('r'), s: number('s') },
  )
}

async function run(fixture: Fixture, preinstalled: Fixture['alloc']): Promise<void> {
  const crypto = createPureCrypto()
  const { env, alloc, outAlloc, result } = fixture
  const transactions = fixture.txs.map((tx) => decode(tx.EIP1559))
  const senders = transactions.map((tx) => recoverSender(tx, crypto) as Bytes20)
  const [tx] = transactions
  const sender = toAddress(senders[0] as Bytes20)
  assert.ok(tx !== undefined && transactions.length === 1 && tx.type === TX_FEE_MARKET, 'expected one EIP-1559 transaction')
  const paid = BigInt(alloc[sender]?.balance as string) - BigInt(outAlloc[sender]?.balance as string) - tx.valueWei
  const price = paid / BigInt(result.receipts[0]?.gasUsed as string)
  const view = createMemoryView(
    Object.entries({ ...preinstalled, ...alloc }).map(([address, account]) => ({
      address: hexToBytes(address),
      balanceWei: BigInt(account.balance ?? 0),
      nonce: BigInt(account.nonce ?? 0),
      code: hexToBytes(account.code ?? '0x'),
      storage: Object.entries(account.storage ?? {}).map(([slot, value]) => [word(slot), word(value)] as const),
    })),
  )
  const done = executeBlock({
    engine: createTestEngine({ crypto }),
    view,
    header: {
      parentHash: toHash(env.previousHash),
      number: Number(env.currentNumber),
      timestampSec: Number(env.currentTimestamp),
      gasLimit: BigInt(env.currentGasLimit),
      baseFeeWei: price - tx.maxPriorityFeePerGasWei,
      feeRecipient: toAddress(env.currentCoinbase),
      mixHash: ZERO_HASH,
      difficulty: 0n,
      parentBeaconBlockRoot: null,
      excessBlobGas: 0n,
    },
    rules: l1ForkRules('cancun'),
    transition: null,
    chainId: tx.chainId,
    crypto,
    blockHash: () => null,
    transactions,
    senders,
  })
  assert.ok(done.kind === 'executed', done.kind === 'invalid' ? done.message : '')
  assert.equal(done.result.gasUsed, BigInt(result.receipts[0]?.gasUsed as string), 'gas used')
  assert.equal(orderedListRoot(transactions.map((each) => each.raw)), result.txRoot)
  assert.equal(orderedListRoot(done.result.receipts.map(encodeReceipt)), result.receiptRoot)
  view.apply(done.result.diff)
  for (const [address, expected] of Object.entries(outAlloc)) {
    const account = view.account(hexToBytes(address))
    if (expected.balance !== undefined) assert.equal(account?.balanceWei, BigInt(expected.balance), `balance of ${address}`)
    if (expected.nonce !== undefined) assert.equal(account?.nonce, BigInt(expected.nonce), `nonce of ${address}`)
    for (const [slot, value] of Object.entries(expected.storage ?? {})) {
      assert.deepEqual(view.storage(hexToBytes(address), word(slot)), word(value), `slot ${slot} of ${address}`)
    }
  }
}

/** The pre-states omit genesis contracts. */
function preinstalledWith(fixtures: readonly Fixture[]): Fixture['alloc'] {
  const preinstalls = Object.values(preinstallsJson).map(({ address, code }) => [address.toLowerCase(), { code, nonce: 1 }] as const)
  const token = fixtures.map(({ alloc }) => alloc[GOVERNANCE_TOKEN]).find((account) => account !== undefined)
  return {
    ...Object.fromEntries(preinstalls),
    ...(token === undefined ? {} : { [GOVERNANCE_TOKEN]: { ...token, storage: TOKEN_NAME } }),
  }
}

export const opExecOpt8n: ConformanceGroup = {
  name: 'op-exec-opt8n',
  under: [FOLDER],
  load(folder) {
    const fixtures: Fixture[] = []
    return folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const fixture = folder.json<Fixture>(path)
      fixtures.push(fixture)
      return [{ id: path.slice(FOLDER.length).replace(/\.json$/, ''), run: () => run(fixture, preinstalledWith(fixtures)) }]
    })
  },
}
