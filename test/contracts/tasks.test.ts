import assert from 'node:assert/strict'
import { Interface } from 'ethers'
import { type Address, type Hex, pad, parseEventLogs, stringToHex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { agentsAbi, deployTaskContracts, STAKE, TASK_PERIODS, type TaskContracts, tasksAbi } from '../support/task-contracts.ts'

const AGENT = pad(stringToHex('weather'), { dir: 'right' })
const OTHER_AGENT = pad(stringToHex('forecast'), { dir: 'right' })
const RESULT: Hex = `0x${'11'.repeat(32)}`
const NOBODY = '0x0000000000000000000000000000000000000000'
const NO_HASH: Hex = `0x${'00'.repeat(32)}`
const REWARD = 1_000_001n
const [CREATOR, WORKER, STRANGER, ARBITER] = [1, 2, 3, 9] as const
const [OPEN, CLAIMED, COMPLETED, DISPUTED, RESOLVED] = [0, 1, 2, 3, 4] as const

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`the contract Tasks on ${name}`, () => {
    let chain: ContractChain
    let contracts: TaskContracts
    before(async () => {
      chain = await open()
    })
    after(() => chain.stop())
    beforeEach(async () => {
      contracts = await deployTaskContracts(chain, ARBITER)
    })
    const address = (index: number) => chain.accounts[index]?.address as Address
    const send = (from: number, method: string, args: readonly unknown[], valueWei = 0n): Promise<Outcome> =>
      chain.send({ from, to: contracts.tasks, abi: tasksAbi, name: method, args, valueWei })
    const read = (functionName: string, args: readonly unknown[]) =>
      chain.reader.readContract({ address: contracts.tasks, abi: tasksAbi, functionName, args })
    const status = (taskId: bigint) => read('getTaskStatus', [taskId])
    const events = ({ logs }: Outcome) =>
      (parseEventLogs({ abi: tasksAbi, logs: logs as never }) as unknown as { eventName: string; args: object }[]).map(
        ({ eventName, args }) => ({ eventName, ...args }),
      )
    const steps = {
      create: (durationSec = 3600) => {
        return send(CREATOR, 'createTask', ['count the trees', REWARD, BigInt(chain.nowSec() + durationSec), '0x01'], REWARD)
      },
      claim: () => send(WORKER, 'claimTask', [1n, AGENT]),
      complete: () => send(WORKER, 'completeTask', [1n, RESULT]),
      dispute: () => send(CREATOR, 'disputeTask', [1n, 'there are more']),
    }
    const invite = (agentId: Hex, claimSeconds = 0n) => {
      const args = ['count the trees', REWARD, BigInt(chain.nowSec() + 3600), '0x01', agentId, claimSeconds]
      return send(CREATOR, 'createTaskFor', args, REWARD)
    }
    async function reach(state: 'open' | 'claimed' | 'completed' | 'disputed'): Promise<void> {
      await contracts.enlist(WORKER, AGENT)
      for (const step of [steps.create, steps.claim, steps.complete, steps.dispute].slice(
        0,
        ['open', 'claimed', 'completed', 'disputed'].indexOf(state) + 1,
      )) {
        assert.equal((await step()).reverted, null)
      }
    }

    it('creates a task with the documented event and holds the reward', async () => {
      const deadline = BigInt(chain.nowSec() + 3600)
      const created = await steps.create()
      assert.deepEqual(events(created), [
        { eventName: 'TaskCreated', taskId: 1n, creator: address(CREATOR), description: 'count the trees', reward: REWARD },
        { eventName: 'TaskRequirements', taskId: 1n, deadline, requirements: '0x01' },
      ])
      assert.deepEqual(await status(1n), [OPEN, NOBODY, NO_HASH])
      assert.equal(await chain.reader.getBalance({ address: contracts.tasks }), REWARD)
      await assert.rejects(status(2n), /UnknownTask/)
    })

    it('rejects a reward other than the value sent, deadlines out of range and texts that are too long', async () => {
      const deadline = BigInt(chain.nowSec() + 3600)
      assert.equal((await send(CREATOR, 'createTask', ['', 5n, deadline, '0x'], 4n)).reverted, 'RewardNotSent(5,4)')
      const late = BigInt(chain.nowSec() + 2)
      assert.equal((await send(CREATOR, 'createTask', ['', 0n, late, '0x'])).reverted, `BadDeadline(${late},${late + 31_536_000n})`)
      const far = BigInt(chain.nowSec() + 3 + 31_536_000)
      assert.equal((await send(CREATOR, 'createTask', ['', 0n, far, '0x'])).reverted, `BadDeadline(${far},${far - 1n})`)
      assert.equal((await send(CREATOR, 'createTask', ['x'.repeat(8193), 0n, deadline, '0x'])).reverted, 'TextTooLong(8193,8192)')
      assert.equal((await send(CREATOR, 'createTask', ['', 0n, deadline, `0x${'00'.repeat(8193)}`])).reverted, 'TextTooLong(8193,8192)')
    })

    it('lets only the owner of a staked agent claim a task, once, until the deadline', async () => {
      await steps.create(100)
      assert.equal((await steps.claim()).reverted, `NotTheAgentsOwner(${AGENT})`)
      await contracts.register(WORKER, AGENT)
      assert.equal((await steps.claim()).reverted, `AgentNotStaked(${AGENT})`)
      await contracts.stake(WORKER, AGENT, STAKE)
      assert.equal((await send(STRANGER, 'claimTask', [1n, AGENT])).reverted, `NotTheAgentsOwner(${AGENT})`)
      assert.deepEqual(events(await steps.claim()), [{ eventName: 'TaskClaimed', taskId: 1n, agentId: AGENT, agent: address(WORKER) }])
      assert.deepEqual(await status(1n), [CLAIMED, address(WORKER), NO_HASH])
      assert.equal((await steps.claim()).reverted, `WrongStatus(1,${CLAIMED})`)
      const deadline = chain.nowSec() + 100
      await steps.create(100)
      chain.advance(99)
      assert.equal((await send(WORKER, 'claimTask', [2n, AGENT])).reverted, `DeadlinePassed(${deadline})`)
    })

    it('pays the agent when the creator accepts the result', async () => {
      await reach('completed')
      assert.deepEqual(await status(1n), [COMPLETED, address(WORKER), RESULT])
      assert.deepEqual(events(await send(CREATOR, 'acceptTask', [1n])), [
        { eventName: 'TaskAccepted', taskId: 1n, agent: address(WORKER), amount: REWARD },
        { eventName: 'TaskResolved', taskId: 1n, toAgent: REWARD, toCreator: 0n },
      ])
      assert.deepEqual(await status(1n), [RESOLVED, address(WORKER), RESULT])
      assert.deepEqual(events(await send(WORKER, 'withdraw', [])), [{ eventName: 'Withdrawn', to: address(WORKER), amount: REWARD }])
      assert.equal(await chain.reader.getBalance({ address: contracts.tasks }), 0n)
      assert.equal((await send(WORKER, 'withdraw', [])).reverted, 'NothingToWithdraw()')
    })

    it('lets anyone release the payment after the review period, but not before', async () => {
      await reach('completed')
      const reviewUntil = chain.nowSec() + TASK_PERIODS.reviewSec
      assert.equal((await send(STRANGER, 'acceptTask', [1n])).reverted, `TooEarly(${reviewUntil + 1})`)
      chain.advance(TASK_PERIODS.reviewSec)
      assert.equal((await steps.dispute()).reverted, `DeadlinePassed(${reviewUntil})`)
      assert.equal((await send(STRANGER, 'acceptTask', [1n])).reverted, null)
      assert.equal(await read('balanceOf', [address(WORKER)]), REWARD)
    })

    it('accepts a result only from the agent of the task, before the deadline', async () => {
      await reach('claimed')
      assert.equal((await send(STRANGER, 'completeTask', [1n, RESULT])).reverted, `NotTheAgent(${address(WORKER)})`)
      assert.equal((await send(WORKER, 'completeTask', [1n, NO_HASH])).reverted, 'ResultHashIsZero()')
      chain.advance(3600)
      assert.match((await steps.complete()).reverted ?? '', /^DeadlinePassed/)
    })

    it('refunds the creator after a cancellation or a deadline without a result', async () => {
      await reach('open')
      assert.equal((await send(STRANGER, 'cancelTask', [1n])).reverted, `NotTheCreator(${address(CREATOR)})`)
      assert.match((await send(STRANGER, 'refundTask', [1n])).reverted ?? '', /^TooEarly/)
      assert.deepEqual(events(await send(CREATOR, 'cancelTask', [1n])), [
        { eventName: 'TaskCancelled', taskId: 1n, creator: address(CREATOR) },
        { eventName: 'TaskResolved', taskId: 1n, toAgent: 0n, toCreator: REWARD },
      ])
      assert.deepEqual(await status(1n), [RESOLVED, NOBODY, NO_HASH])
      await steps.create(100)
      assert.equal((await send(WORKER, 'claimTask', [2n, AGENT])).reverted, null)
      assert.equal((await send(CREATOR, 'cancelTask', [2n])).reverted, `WrongStatus(2,${CLAIMED})`)
      chain.advance(100)
      assert.equal((await send(STRANGER, 'refundTask', [2n])).reverted, null)
      assert.equal(await read('balanceOf', [address(CREATOR)]), 2n * REWARD)
      assert.equal((await send(STRANGER, 'refundTask', [2n])).reverted, `WrongStatus(2,${RESOLVED})`)
    })

    it('lets the arbiter rule on a dispute and divide at most the reward', async () => {
      await reach('disputed')
      assert.deepEqual(await status(1n), [DISPUTED, address(WORKER), RESULT])
      assert.equal((await send(CREATOR, 'resolveTask', [1n, 0n])).reverted, `NotTheArbiter(${address(ARBITER)})`)
      assert.equal((await send(ARBITER, 'resolveTask', [1n, REWARD + 1n])).reverted, `ShareTooLarge(${REWARD + 1n},${REWARD})`)
      assert.deepEqual(events(await send(ARBITER, 'resolveTask', [1n, 1n])), [
        { eventName: 'TaskAccepted', taskId: 1n, agent: address(WORKER), amount: 1n },
        { eventName: 'TaskResolved', taskId: 1n, toAgent: 1n, toCreator: REWARD - 1n },
      ])
    })

    it('pays nothing for a junk result of an unchosen agent when the arbiter is silent', async () => {
      await reach('disputed')
      assert.equal((await send(CREATOR, 'chooseAgent', [1n, AGENT])).reverted, `WrongStatus(1,${DISPUTED})`)
      chain.advance(TASK_PERIODS.arbitrationSec)
      assert.equal((await send(WORKER, 'resolveTask', [1n, REWARD])).reverted, null)
      assert.equal(await read('balanceOf', [address(WORKER)]), 0n)
      assert.equal(await read('balanceOf', [address(CREATOR)]), REWARD)
    })

    it('splits the reward equally when nobody rules on a dispute with a chosen agent', async () => {
      await contracts.enlist(WORKER, AGENT)
      await invite(AGENT)
      await steps.claim()
      assert.equal((await send(CREATOR, 'chooseAgent', [1n, NO_HASH])).reverted, null)
      await steps.complete()
      await steps.dispute()
      chain.advance(TASK_PERIODS.arbitrationSec)
      assert.equal((await send(ARBITER, 'resolveTask', [1n, REWARD])).reverted, null)
      assert.equal(await read('balanceOf', [address(WORKER)]), REWARD / 2n)
      assert.equal(await read('balanceOf', [address(CREATOR)]), REWARD - REWARD / 2n)
    })

    describe('a claim', () => {
      const onAgents = (from: number, method: string, args: readonly unknown[]) =>
        chain.send({ from, to: contracts.agents, abi: agentsAbi, name: method, args })
      const locked = () =>
        chain.reader.readContract({ address: contracts.agents, abi: agentsAbi, functionName: 'lockedStakeOf', args: [AGENT] })

      it('uses a whole minimum stake, which cannot be withdrawn meanwhile', async () => {
        await contracts.enlist(WORKER, AGENT)
        for (let made = 0; made < 3; made++) await steps.create(2 * TASK_PERIODS.unstakeSec)
        assert.equal((await steps.claim()).reverted, null)
        assert.equal((await send(WORKER, 'claimTask', [2n, AGENT])).reverted, `AgentNotStaked(${AGENT})`)
        await onAgents(WORKER, 'unstake', [AGENT, STAKE])
        assert.equal((await send(WORKER, 'claimTask', [2n, AGENT])).reverted, `AgentNotStaked(${AGENT})`)
        chain.advance(TASK_PERIODS.unstakeSec)
        assert.equal((await onAgents(WORKER, 'withdraw', [AGENT])).reverted, `StakeLocked(${STAKE},${STAKE})`)
        await contracts.stake(WORKER, AGENT, 2n * STAKE)
        assert.equal((await onAgents(WORKER, 'withdraw', [AGENT])).reverted, null)
        assert.equal((await send(WORKER, 'claimTask', [2n, AGENT])).reverted, null)
        assert.equal(await locked(), 2n * STAKE)
        await send(WORKER, 'completeTask', [2n, RESULT])
        assert.equal(await locked(), 2n * STAKE, 'a result does not end the claim')
        await send(CREATOR, 'acceptTask', [2n])
        assert.equal(await locked(), STAKE)
        chain.advance(2 * TASK_PERIODS.unstakeSec)
        await send(STRANGER, 'refundTask', [1n])
        assert.equal(await locked(), 0n)
      })

      it('can be ended by anyone after the claim period without a result, before the deadline', async () => {
        await contracts.enlist(WORKER, AGENT)
        await steps.create(365 * 86_400 - 10)
        await steps.claim()
        const undisturbedUntil = chain.nowSec() + TASK_PERIODS.claimSec
        assert.equal((await send(CREATOR, 'reopenTask', [1n])).reverted, `TooEarly(${undisturbedUntil + 1})`)
        chain.advance(TASK_PERIODS.claimSec)
        assert.deepEqual(events(await send(STRANGER, 'reopenTask', [1n])), [
          { eventName: 'TaskReopened', taskId: 1n, agentId: AGENT, by: address(STRANGER) },
        ])
        assert.deepEqual(await status(1n), [OPEN, NOBODY, NO_HASH])
        assert.equal(await locked(), 0n)
        assert.equal((await steps.complete()).reverted, `WrongStatus(1,${OPEN})`)
        assert.equal((await send(CREATOR, 'cancelTask', [1n])).reverted, null)
        assert.equal(await read('balanceOf', [address(CREATOR)]), REWARD)
      })

      it('accepts a late result until someone ends the claim, and the agent can end it at any time', async () => {
        await reach('claimed')
        chain.advance(TASK_PERIODS.claimSec + 100)
        assert.equal((await steps.complete()).reverted, null)
        await steps.create()
        await contracts.stake(WORKER, AGENT, STAKE)
        await send(WORKER, 'claimTask', [2n, AGENT])
        assert.equal((await send(WORKER, 'reopenTask', [2n])).reverted, null)
        assert.deepEqual(await status(2n), [OPEN, NOBODY, NO_HASH])
        assert.equal((await send(WORKER, 'reopenTask', [1n])).reverted, `WrongStatus(1,${COMPLETED})`)
      })

      it('is reserved for the agent that the creator chose, if any', async () => {
        await contracts.enlist(WORKER, AGENT)
        await contracts.enlist(STRANGER, OTHER_AGENT)
        assert.deepEqual(events(await invite(NO_HASH, 60n)).at(-1), { eventName: 'AgentChosen', taskId: 1n, agentId: NO_HASH })
        assert.equal((await steps.claim()).reverted, `AgentNotChosen(${AGENT},${NO_HASH})`)
        assert.equal((await send(STRANGER, 'applyForTask', [1n, AGENT])).reverted, `NotTheAgentsOwner(${AGENT})`)
        assert.deepEqual(events(await send(WORKER, 'applyForTask', [1n, AGENT])), [
          { eventName: 'TaskApplied', taskId: 1n, agentId: AGENT, agent: address(WORKER) },
        ])
        assert.equal((await send(WORKER, 'chooseAgent', [1n, AGENT])).reverted, `NotTheCreator(${address(CREATOR)})`)
        assert.equal((await send(CREATOR, 'chooseAgent', [1n, AGENT])).reverted, null)
        assert.equal((await send(STRANGER, 'claimTask', [1n, OTHER_AGENT])).reverted, `AgentNotChosen(${OTHER_AGENT},${AGENT})`)
        assert.equal((await steps.claim()).reverted, null)
        chain.advance(60)
        assert.equal((await send(CREATOR, 'chooseAgent', [1n, OTHER_AGENT])).reverted, null)
        assert.equal((await send(CREATOR, 'reopenTask', [1n])).reverted, null)
        assert.equal((await steps.claim()).reverted, `AgentNotChosen(${AGENT},${OTHER_AGENT})`)
        assert.equal((await send(STRANGER, 'claimTask', [1n, OTHER_AGENT])).reverted, null)
        const far = 30n * 86_400n + 1n
        assert.equal((await invite(AGENT, far)).reverted, `BadClaimPeriod(${far},${far - 1n})`)
      })
    })

    it('lets only the creator dispute, and only a completed task', async () => {
      await reach('claimed')
      assert.equal((await steps.dispute()).reverted, `WrongStatus(1,${CLAIMED})`)
      await steps.complete()
      assert.equal((await send(WORKER, 'disputeTask', [1n, ''])).reverted, `NotTheCreator(${address(CREATOR)})`)
    })
  })
}

describe('the contract Tasks', () => {
  it('has the documented functions and event', () => {
    const documented = new Interface(tasksAbi as never)
    assert.equal(
      documented.getFunction('createTask')?.format('full'),
      'function createTask(string description, uint256 reward, uint256 deadline, bytes requirements) payable returns (uint256 taskId)',
    )
    assert.equal(
      documented.getFunction('getTaskStatus')?.format('full'),
      'function getTaskStatus(uint256 taskId) view returns (uint8 status, address agent, bytes32 resultHash)',
    )
    assert.equal(
      documented.getEvent('TaskCreated')?.format('full'),
      'event TaskCreated(uint256 indexed taskId, address indexed creator, string description, uint256 reward)',
    )
  })
})
