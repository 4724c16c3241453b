import assert from 'node:assert/strict'
import { type Address, concatHex, type Hex, pad, parseEventLogs, stringToHex } from 'viem'
import { type Call, CONTRACT_CHAINS, type ContractChain, type Outcome, readOwnContract } from '../support/contract-chain.ts'

const { abi } = readOwnContract('Agents')
const MINIMUM_STAKE = 10n ** 17n
const UNSTAKE_DELAY_SEC = 3600
const AGENT = pad(stringToHex('weather'), { dir: 'right' })
const NATIVE = '0x0000000000000000000000000000000000000000'
const OWNER = 1
const STAKER = 2
const STRANGER = 3
const TASKS = 4

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract Agents on ${name}`, () => {
    let chain: ContractChain
    let agents: Address
    before(async () => {
      chain = await open()
    })
    after(() => chain.stop())
    beforeEach(async () => {
      agents = await chain.deploy(readOwnContract('Agents'), [MINIMUM_STAKE, BigInt(UNSTAKE_DELAY_SEC), address(TASKS)])
    })
    const send = (from: number, method: string, args: readonly unknown[], valueWei?: bigint): Promise<Outcome> =>
      chain.send({ from, to: agents, abi, name: method, args, ...(valueWei === undefined ? {} : { valueWei }) } satisfies Call)
    const read = (functionName: string, args: readonly unknown[]) => chain.reader.readContract({ address: agents, abi, functionName, args })
    const address = (index: number) => chain.accounts[index]?.address as Address
    const register = () => send(OWNER, 'register', [AGENT, 'ipfs://about', 'https://agent.example'])
    const event = (outcome: Outcome) => {
      const [log] = parseEventLogs({ abi, logs: outcome.logs as never }) as unknown as { eventName: string; args: object }[]
      return { name: log?.eventName, ...log?.args }
    }

    it('registers an agent for its owner only once', async () => {
      assert.deepEqual(event(await register()), {
        name: 'AgentRegistered',
        agentId: AGENT,
        owner: address(OWNER),
        metadataURI: 'ipfs://about',
        endpoint: 'https://agent.example',
      })
      assert.deepEqual(await read('getAgent', [BigInt(AGENT)]), [address(OWNER), 'ipfs://about', 'https://agent.example', 0n, false])
      assert.equal((await register()).reverted, `AgentExists(${AGENT})`)
    })

    it('rejects the zero id, texts that are too long and unregistered ids', async () => {
      assert.equal((await send(OWNER, 'register', [pad('0x00'), '', ''])).reverted, 'AgentIdIsZero()')
      assert.equal((await send(OWNER, 'register', [AGENT, 'x'.repeat(2049), ''])).reverted, 'TextTooLong(2049,2048)')
      assert.equal((await send(OWNER, 'register', [AGENT, '', 'x'.repeat(2049)])).reverted, 'TextTooLong(2049,2048)')
      assert.equal((await send(OWNER, 'register', [AGENT, 'x'.repeat(2048), ''])).reverted, null)
      await assert.rejects(read('getAgent', [7n]), /UnknownAgent/)
      assert.equal((await send(STAKER, 'stakeETH', [pad('0x07')], 1n)).reverted, `UnknownAgent(${pad('0x07')})`)
    })

    it('does not let a front-runner take an id that belongs to an address', async () => {
      const id = (await read('ownedId', [address(OWNER), 7])) as Hex
      assert.equal(id, concatHex([stringToHex('agentof:'), '0x00000007', address(OWNER)]).toLowerCase())
      assert.equal((await send(STRANGER, 'register', [id, '', ''])).reverted, `AgentIdOfAnother(${id},${address(OWNER)})`)
      assert.deepEqual(event(await send(OWNER, 'register', [id, 'a', 'b'])), {
        name: 'AgentRegistered',
        agentId: id,
        owner: address(OWNER),
        metadataURI: 'a',
        endpoint: 'b',
      })
      assert.equal((await send(OWNER, 'register', [id, '', ''])).reverted, `AgentExists(${id})`)
    })

    it('locks the stake of open claims and releases it when they end', async () => {
      await register()
      const lock = (from = TASKS) => send(from, 'lockStake', [AGENT])
      const unlock = (from = TASKS) => send(from, 'unlockStake', [AGENT])
      assert.equal((await lock()).reverted, `StakeTooSmall(${MINIMUM_STAKE},0)`)
      await send(STAKER, 'stakeETH', [AGENT], 2n * MINIMUM_STAKE + 1n)
      assert.equal((await lock(OWNER)).reverted, `NotTheTasks(${address(TASKS)})`)
      assert.deepEqual(event(await lock()), { name: 'StakeLockChanged', agentId: AGENT, locked: MINIMUM_STAKE })
      assert.equal(await read('isStaked', [AGENT]), true)
      assert.equal((await lock()).reverted, null)
      assert.equal(await read('isStaked', [AGENT]), false)
      assert.equal((await lock()).reverted, `StakeTooSmall(${3n * MINIMUM_STAKE},${2n * MINIMUM_STAKE + 1n})`)
      assert.equal((await send(STAKER, 'unstake', [AGENT, MINIMUM_STAKE + 1n])).reverted, null)
      chain.advance(UNSTAKE_DELAY_SEC)
      assert.deepEqual(event(await send(STAKER, 'withdraw', [AGENT])), {
        name: 'StakeWithdrawn',
        agentId: BigInt(AGENT),
        asset: NATIVE,
        staker: address(STAKER),
        amount: 1n,
      })
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, `StakeLocked(${2n * MINIMUM_STAKE},${2n * MINIMUM_STAKE})`)
      assert.equal((await unlock(OWNER)).reverted, `NotTheTasks(${address(TASKS)})`)
      assert.deepEqual(event(await unlock()), { name: 'StakeLockChanged', agentId: AGENT, locked: MINIMUM_STAKE })
      assert.equal(await read('lockedStakeOf', [AGENT]), MINIMUM_STAKE)
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, null)
      assert.equal(await chain.reader.getBalance({ address: agents }), MINIMUM_STAKE)
      assert.equal((await lock()).reverted, `StakeTooSmall(${2n * MINIMUM_STAKE},${MINIMUM_STAKE})`)
      assert.equal((await unlock()).reverted, null)
    })

    it('does not let an owner block the stake of others with a claim of its own', async () => {
      await register()
      await send(STAKER, 'stakeETH', [AGENT], 1000n * MINIMUM_STAKE)
      await send(STAKER, 'unstake', [AGENT, 1000n * MINIMUM_STAKE])
      await send(OWNER, 'stakeETH', [AGENT], MINIMUM_STAKE)
      assert.equal((await send(TASKS, 'lockStake', [AGENT])).reverted, null)
      await send(OWNER, 'unstake', [AGENT, MINIMUM_STAKE])
      chain.advance(UNSTAKE_DELAY_SEC)
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, null)
      assert.equal(await chain.reader.getBalance({ address: agents }), MINIMUM_STAKE)
      assert.equal((await send(OWNER, 'withdraw', [AGENT])).reverted, `StakeLocked(${MINIMUM_STAKE},${MINIMUM_STAKE})`)
      assert.equal((await send(TASKS, 'unlockStake', [AGENT])).reverted, null)
      assert.equal((await send(OWNER, 'withdraw', [AGENT])).reverted, null)
      assert.equal(await chain.reader.getBalance({ address: agents }), 0n)
    })

    it('accepts changes to an agent only from its owner', async () => {
      await register()
      assert.equal((await send(STRANGER, 'update', [AGENT, 'a', 'b'])).reverted, `NotTheOwner(${AGENT},${address(OWNER)})`)
      assert.deepEqual(event(await send(OWNER, 'update', [AGENT, 'a', 'b'])), {
        name: 'AgentUpdated',
        agentId: AGENT,
        metadataURI: 'a',
        endpoint: 'b',
      })
    })

    it('emits StakeIncreased with the topics agent id, asset and staker in this order', async () => {
      await register()
      const { logs } = await send(STAKER, 'stakeETH', [AGENT], 5n)
      assert.equal(logs.length, 1)
      assert.deepEqual(logs[0]?.topics.slice(1), [AGENT, pad(NATIVE), pad(address(STAKER)).toLowerCase() as Hex])
      assert.equal(logs[0]?.data, `0x${'5'.padStart(64, '0')}${'5'.padStart(64, '0')}`)
    })

    it('accepts claims from the minimum stake on, but none for stake that is being unstaked', async () => {
      await register()
      await send(STAKER, 'stakeETH', [AGENT], MINIMUM_STAKE - 1n)
      assert.equal(await read('isStaked', [AGENT]), false)
      await send(OWNER, 'stakeETH', [AGENT], 1n)
      assert.equal(await read('isStaked', [AGENT]), true)
      assert.equal(
        (await send(STAKER, 'unstake', [AGENT, MINIMUM_STAKE])).reverted,
        `StakeTooSmall(${MINIMUM_STAKE},${MINIMUM_STAKE - 1n})`,
      )
      assert.equal((await send(STAKER, 'unstake', [AGENT, 1n])).reverted, null)
      assert.equal(await read('isStaked', [AGENT]), false)
    })

    it('returns the exact stake to its staker after the delay', async () => {
      await register()
      await send(STAKER, 'stakeETH', [AGENT], 1000n)
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, 'NothingToWithdraw()')
      await send(STAKER, 'unstake', [AGENT, 400n])
      const availableAt = chain.nowSec() + UNSTAKE_DELAY_SEC
      chain.advance(UNSTAKE_DELAY_SEC - 4)
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, `TooEarly(${availableAt})`)
      assert.deepEqual(event(await send(STAKER, 'withdraw', [AGENT])), {
        name: 'StakeWithdrawn',
        agentId: BigInt(AGENT),
        asset: NATIVE,
        staker: address(STAKER),
        amount: 400n,
      })
      assert.equal(await chain.reader.getBalance({ address: agents }), 600n)
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, 'NothingToWithdraw()')
    })

    it('restarts the delay of the total at a second unstake request', async () => {
      await register()
      await send(STAKER, 'stakeETH', [AGENT], 1000n)
      await send(STAKER, 'unstake', [AGENT, 400n])
      chain.advance(UNSTAKE_DELAY_SEC)
      await send(STAKER, 'unstake', [AGENT, 100n])
      assert.equal((await send(STAKER, 'withdraw', [AGENT])).reverted, `TooEarly(${chain.nowSec() - 2 + UNSTAKE_DELAY_SEC})`)
      chain.advance(UNSTAKE_DELAY_SEC)
      await send(STAKER, 'withdraw', [AGENT])
      assert.equal(await chain.reader.getBalance({ address: agents }), 500n)
    })
  })
}
