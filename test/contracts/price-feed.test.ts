import assert from 'node:assert/strict'
import { type Address, parseAbi, parseEventLogs } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome, readOwnContract } from '../support/contract-chain.ts'

const { abi } = readOwnContract('PriceFeed')
const AGGREGATOR_V3 = parseAbi([
  'function decimals() view returns (uint8)',
  'function description() view returns (string)',
  'function version() view returns (uint256)',
  'function getRoundData(uint80 _roundId) view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const HEARTBEAT_BLOCKS = 5
const BLOCK_TIME_SEC = 2
const OWNER = 1
const STRANGER = 2
const PRICE = 250_000_000_000n

type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredInRound: bigint]

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract PriceFeed on ${name}`, () => {
    let chain: ContractChain
    let feed: Address
    let bornAtSec: number
    before(async () => {
      chain = await open()
    })
    after(() => chain.stop())
    beforeEach(async () => {
      const args = ['NATIVE / USD', 8, BigInt(HEARTBEAT_BLOCKS), BigInt(BLOCK_TIME_SEC), chain.accounts[OWNER]?.address, PRICE]
      feed = await chain.deploy(readOwnContract('PriceFeed'), args)
      bornAtSec = chain.nowSec()
    })
    const send = (from: number, method: string, args: readonly unknown[] = []): Promise<Outcome> =>
      chain.send({ from, to: feed, abi, name: method, args })
    const latest = () => chain.reader.readContract({ address: feed, abi: AGGREGATOR_V3, functionName: 'latestRoundData' })
    const roundOf = (id: bigint) =>
      chain.reader.readContract({ address: feed, abi: AGGREGATOR_V3, functionName: 'getRoundData', args: [id] })
    const round = (id: number, answer: bigint, timeSec: number): Round => [BigInt(id), answer, BigInt(timeSec), BigInt(timeSec), BigInt(id)]
    const statement = () => chain.reader.readContract({ address: feed, abi, functionName: 'lastStatement' })
    const events = ({ logs }: Outcome) =>
      (parseEventLogs({ abi, logs: logs as never }) as unknown as { eventName: string; args: object }[]).map(({ eventName, args }) => [
        eventName,
        args,
      ])

    it('returns decimals, description and version as the interface requires', async () => {
      const ask = (functionName: 'decimals' | 'description' | 'version') =>
        chain.reader.readContract({ address: feed, abi: AGGREGATOR_V3, functionName })
      assert.deepEqual([await ask('decimals'), await ask('description'), await ask('version')], [8, 'NATIVE / USD', 1n])
      assert.deepEqual(await latest(), round(1, PRICE, bornAtSec))
    })

    it('never exceeds the heartbeat in age: each beat without a post is a round with its own time', async () => {
      const heartbeatSec = HEARTBEAT_BLOCKS * BLOCK_TIME_SEC
      for (let blocks = 1; blocks <= 3 * HEARTBEAT_BLOCKS; blocks++) {
        await chain.mine(1)
        const beats = Math.floor(blocks / HEARTBEAT_BLOCKS)
        assert.deepEqual(await latest(), round(1 + beats, PRICE, bornAtSec + beats * heartbeatSec))
        assert.ok(chain.nowSec() - Number((await latest())[3]) < heartbeatSec)
      }
      assert.deepEqual(await statement(), [PRICE, 1n, BigInt(bornAtSec), false])
    })

    it('keeps the data of past rounds after later posts', async () => {
      await chain.mine(HEARTBEAT_BLOCKS + 1)
      const outcome = await send(OWNER, 'post', [PRICE + 1n])
      const postedAt = chain.nowSec()
      assert.deepEqual(events(outcome), [['AnswerUpdated', { current: PRICE + 1n, roundId: 3n, updatedAt: BigInt(postedAt) }]])
      await chain.mine(HEARTBEAT_BLOCKS)
      await send(OWNER, 'post', [-7n])
      const expected = [
        round(1, PRICE, bornAtSec),
        round(2, PRICE, bornAtSec + HEARTBEAT_BLOCKS * BLOCK_TIME_SEC),
        round(3, PRICE + 1n, postedAt),
        round(4, PRICE + 1n, postedAt + HEARTBEAT_BLOCKS * BLOCK_TIME_SEC),
        round(5, -7n, chain.nowSec()),
      ]
      for (const [index, one] of expected.entries()) assert.deepEqual(await roundOf(BigInt(index + 1)), one)
      assert.deepEqual(await latest(), expected[4])
      await chain.mine(2)
      for (const [index, one] of expected.entries()) assert.deepEqual(await roundOf(BigInt(index + 1)), one)
    })

    it('reverts for a round in the future with the error text of the interface', async () => {
      await chain.mine(HEARTBEAT_BLOCKS)
      for (const id of [0n, 3n, (1n << 64n) + 1n, (1n << 80n) - 1n]) await assert.rejects(roundOf(id), /No data present/)
      assert.equal((await roundOf(2n))[0], 2n)
    })

    it('ages after it is silenced, until the next post', async () => {
      await chain.mine(HEARTBEAT_BLOCKS)
      assert.deepEqual(events(await send(OWNER, 'fallSilent')), [['FellSilent', { lastRoundId: 2n }]])
      const last = round(2, PRICE, bornAtSec + HEARTBEAT_BLOCKS * BLOCK_TIME_SEC)
      await chain.mine(4 * HEARTBEAT_BLOCKS)
      assert.deepEqual(await latest(), last)
      assert.deepEqual(await statement(), [PRICE, 1n, BigInt(bornAtSec), true])
      await send(OWNER, 'fallSilent')
      assert.deepEqual(await latest(), last)
      await send(OWNER, 'post', [PRICE])
      assert.deepEqual(await latest(), round(3, PRICE, chain.nowSec()))
      assert.deepEqual(await statement(), [PRICE, 3n, BigInt(chain.nowSec()), false])
    })

    it('accepts posts only from its owner', async () => {
      const stranger = chain.accounts[STRANGER]?.address
      for (const [method, args] of [
        ['post', [1n]],
        ['fallSilent', []],
        ['transferOwnership', [stranger]],
      ] as const) {
        assert.equal((await send(STRANGER, method, args)).reverted, `OwnableUnauthorizedAccount(${stranger})`)
      }
      await send(OWNER, 'transferOwnership', [stranger])
      assert.equal((await send(STRANGER, 'post', [5n])).reverted, null)
      assert.equal((await latest())[1], 5n)
    })

    it('rejects a heartbeat of zero at deployment', async () => {
      const args = ['x', 8, 0n, 2n, chain.accounts[OWNER]?.address, 1n]
      await assert.rejects(chain.deploy(readOwnContract('PriceFeed'), args), /HeartbeatIsZero/)
    })
  })
}
