import assert from 'node:assert/strict'
import { EMPTY_REQUESTS_HASH, EMPTY_TRIE_ROOT, hashHeader, l2Time, toHash, ZERO_HASH } from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { createForkSchedule, forksAtGenesis } from './fork-schedule.ts'
import { genesisHeader, genesisToJson, INITIAL_BASE_FEE_WEI, loadGenesis } from './genesis.ts'
import { l1ForkRules } from './l1-schedule.ts'
import type { Fork } from './rules.ts'

const STATE_ROOT = toHash(`0x${'5a'.repeat(32)}`)
const PASSER_ROOT = toHash(`0x${'6b'.repeat(32)}`)
const rulesOf = (fork: Fork) => createForkSchedule({ times: forksAtGenesis(fork) }).blockRules(l2Time(1))

const FILE = {
  config: { chainId: 901 },
  nonce: '0x0',
  timestamp: '0x64d6dbac',
  extraData: '0x424544524f434b',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  mixHash: ZERO_HASH,
  coinbase: '0x4200000000000000000000000000000000000011',
  number: '0x0',
  gasUsed: '0x0',
  parentHash: ZERO_HASH,
  baseFeePerGas: '0x3b9aca00',
  alloc: {
    '4200000000000000000000000000000000000016': {
      balance: '1000',
      nonce: 3,
      code: '0x6001',
      storage: { '0x1': '0x02', [`0x${'00'.repeat(31)}02`]: '0x0' },
    },
    '0x00000000000000000000000000000000000000AA': { balance: '0xff' },
  },
}

describe('genesis', () => {
  it('gives the first block of Ethereum its hash', () => {
    const genesis = loadGenesis({
      nonce: '0x0000000000000042',
      timestamp: '0x0',
      extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
      gasLimit: '0x1388',
      difficulty: '0x400000000',
      alloc: {},
    })
    const stateRoot = toHash('0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544')
    const header = genesisHeader(genesis, stateRoot, null, l1ForkRules('frontier'))
    assert.equal(hashHeader(header), '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
  })

  it('reads accounts in every form geth writes', () => {
    const { accounts, chainConfig } = loadGenesis(FILE)
    assert.deepEqual(chainConfig, { chainId: 901 })
    assert.equal(accounts.length, 2)
    const [passer, other] = accounts
    assert.deepEqual([passer?.address, passer?.balanceWei, passer?.nonce], ['0x4200000000000000000000000000000000000016', 1000n, 3n])
    assert.deepEqual(passer?.code, Uint8Array.of(0x60, 1))
    const word = (n: number) => new Uint8Array(32).with(31, n)
    assert.deepEqual(passer?.storage, [[word(1), word(2)]])
    assert.deepEqual([other?.address, other?.balanceWei, other?.code.length], ['0x00000000000000000000000000000000000000aa', 255n, 0])
  })

  it('comes back the same from what it writes', () => {
    const genesis = loadGenesis(FILE)
    assert.deepEqual(loadGenesis(JSON.parse(JSON.stringify(genesisToJson(genesis)))), genesis)
  })

  it('has the header fields of its fork and no others', () => {
    const genesis = loadGenesis(FILE)
    const header = (fork: Fork) => genesisHeader(genesis, STATE_ROOT, PASSER_ROOT, rulesOf(fork))
    const optional = (fork: Fork) => {
      const h = header(fork)
      return [h.withdrawalsRoot, h.blobGasUsed, h.excessBlobGas, h.parentBeaconBlockRoot, h.requestsHash]
    }
    assert.deepEqual(optional('regolith'), [null, null, null, null, null])
    assert.deepEqual(optional('canyon'), [EMPTY_TRIE_ROOT, null, null, null, null])
    assert.deepEqual(optional('ecotone'), [EMPTY_TRIE_ROOT, 0n, 0n, ZERO_HASH, null])
    assert.deepEqual(optional('isthmus'), [PASSER_ROOT, 0n, 0n, ZERO_HASH, EMPTY_REQUESTS_HASH])
    assert.deepEqual(optional('jovian'), optional('isthmus'))
    assert.equal(header('bedrock').baseFeeWei, INITIAL_BASE_FEE_WEI)
    assert.equal(genesisHeader({ ...genesis, baseFeeWei: null }, STATE_ROOT, null, rulesOf('bedrock')).baseFeeWei, INITIAL_BASE_FEE_WEI)
    assert.equal(genesisHeader(genesis, STATE_ROOT, null, l1ForkRules('berlin')).baseFeeWei, null)
  })

  it('will not guess the root of the message passer', () => {
    assert.throws(
      () => genesisHeader(loadGenesis(FILE), STATE_ROOT, null, rulesOf('isthmus')),
      (error) => error instanceof ChainspecError && error.code === 'chainspec/genesis' && /L2ToL1MessagePasser/.test(error.message),
    )
  })

  it('reports every mistake at once, with its path', () => {
    assert.throws(
      () =>
        loadGenesis({
          timestamp: 'soon',
          alloc: { xx: { balance: '0xzz' }, [`0x${'01'.repeat(20)}`]: { code: '0x1', storage: { '0x1': 5 } } },
        }),
      (error) => {
        assert.ok(error instanceof ChainspecError)
        for (const expected of [
          /^timestamp: /,
          /^gasLimit is missing/,
          /^alloc\.xx.*20 bytes/,
          /^alloc\.xx\.balance: /,
          /^alloc\.0x0101.*\.code: /,
          /\.storage\.0x1: /,
        ]) {
          assert.ok(
            error.mistakes.some((mistake) => expected.test(mistake)),
            `${expected}\n${error.message}`,
          )
        }
        return true
      },
    )
  })
})
