import assert from 'node:assert/strict'
import type { RollupConfig } from '@keelson/chainspec'
import type { RpcClient } from '@keelson/client'
import { encodeFinalizedWithdrawals, TRANSACTION_DEPOSITED_TOPIC } from '@keelson/contracts'
import type { SupplyResult } from '@keelson/execution'
import { bigintToBytes, bytesToHex, concatBytes, formatQuantity, type Hash, toAddress } from '@keelson/primitives'
import { renderSupply } from './render-supply.ts'
import { withPortal } from './supply-on-l1.ts'

const PORTAL = toAddress(`0x${'0a'.repeat(20)}`)
const ROLLUP = { depositContract: PORTAL, l1ChainId: 900n } as RollupConfig
const hash = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as Hash
const word = (value: bigint) => bigintToBytes(value, 32)
const ORIGIN = 7

const INFO = bytesToHex(
  concatBytes(Uint8Array.of(0x01, 0x5d, 0x8e, 0xb9), word(BigInt(ORIGIN)), ...[1n, 1n, BigInt(hash(ORIGIN)), 0n, 0n, 0n, 0n].map(word)),
)

const ACCOUNT: SupplyResult = {
  ok: true,
  from: { number: 0, hash: hash(0), source: 'genesis file' },
  to: { number: 9, hash: hash(9) },
  historyFrom: 0,
  accounts: 3,
  startWei: '1000',
  mintedWei: '50',
  deposits: 1,
  failedDeposits: 0,
  burntWei: '20',
  selfDestructWei: '4',
  expectedWei: '1026',
  stateWei: '1026',
  differenceWei: '0',
  unexplained: [],
  passer: { startWei: '0', withdrawals: 2, withdrawnWei: '60', otherWei: '1', balanceWei: '41' },
  held: {},
  forL1: {
    info: INFO,
    withdrawals: [
      [hash(1), '35'],
      [hash(2), '25'],
    ],
  },
}

function l1With(portalWei: bigint, originHash = hash(ORIGIN)): RpcClient {
  const opaque = concatBytes(word(8n), word(0n), new Uint8Array(9))
  const log = {
    address: PORTAL,
    topics: [TRANSACTION_DEPOSITED_TOPIC, hash(5), hash(6), hash(0)],
    data: bytesToHex(concatBytes(word(32n), word(BigInt(opaque.length)), opaque, new Uint8Array(23))),
  }
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_chainId: () => '0x384',
    eth_blockNumber: () => formatQuantity(ORIGIN + 3),
    eth_getBlockByNumber: ([number]) => (number === formatQuantity(ORIGIN) ? { hash: originHash } : null),
    eth_getBalance: ([address, block]) => (address === PORTAL && block === formatQuantity(ORIGIN + 3) ? formatQuantity(portalWei) : null),
    eth_getLogs: ([filter]) => {
      assert.deepEqual((filter as { fromBlock: string }).fromBlock, formatQuantity(ORIGIN + 1))
      return [log]
    },
    eth_call: ([call]) => bytesToHex(word((call as { data: string }).data === bytesToHex(encodeFinalizedWithdrawals(hash(1))) ? 1n : 0n)),
  }
  return {
    host: 'l1',
    call: async (method, params) => answers[method]?.(params),
    batch: () => Promise.reject(new Error('not asked')),
    close: () => undefined,
  }
}
const compare = (l1: RpcClient, account = ACCOUNT) => withPortal(account, l1, ROLLUP, async () => undefined)

describe('the supply against L1', () => {
  // Supply of 1026 minus 41 in the message passer, plus 25 not finalized and 8 in pending deposits.
  const owedWei = 985n + 25n + 8n

  it('is what L2 can withdraw, withdrawals under way and deposits under way', async () => {
    const result = await compare(l1With(owedWei + 5n))
    assert.deepEqual(
      [result.ok, result.l1],
      [
        true,
        {
          ok: true,
          block: 10,
          portalWei: '1023',
          withdrawableWei: '985',
          openWithdrawals: 1,
          openWithdrawalsWei: '25',
          depositsUnderWay: 1,
          depositsUnderWayWei: '8',
          surplusWei: '5',
        },
      ],
    )
    assert.equal('forL1' in result, false)
    assert.match(renderSupply(result), /nobody can ask for +0\.0+5 +0\.0+5 of it destroyed on L2/)
  })

  it('does not fit by one wei', async () => {
    const result = await compare(l1With(owedWei - 1n))
    assert.equal(result.ok, false)
    assert.match(renderSupply(result), /^OK: blocks 0 to 9 add up to the wei\nNOT OK: the portal lacks 1 wei/m)
  })

  it('is not judged by another L1, by half of the withdrawals, or by too many', async () => {
    await assert.rejects(compare(l1With(owedWei, hash(99))), /L1 is behind or was reorganised/)
    const { forL1: _, ...old } = ACCOUNT
    await assert.rejects(compare(l1With(owedWei), old), /older release/)
    await assert.rejects(
      compare(l1With(owedWei), { ...ACCOUNT, from: { ...ACCOUNT.from, number: 4 } }),
      /withdrawals before it are not known/,
    )
    await assert.rejects(compare(l1With(owedWei), { ...ACCOUNT, forL1: { info: INFO, withdrawals: null } }), /too many withdrawals/)
  })
})
