/** Tasks: escrow, every transition with its guard and event, and the money at the end. On both chains. */
import assert from 'node:assert/strict'
import { Interface } from 'ethers'
import { type Address, type Hex, pad, parseEventLogs, stringToHex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { deployTaskContracts, STAKE, TASK_PERIODS, type TaskContracts, tasksAbi } from '../support/task-contracts.ts'

const AGENT = pad(stringToHex('weather'), { dir: 'right' })
const RESULT: Hex = `0x${'11'.repeat(32)}`
const NOBODY = '0x0000000000000000000000000000000000000000'
const NO_HASH: Hex = `0x${'00'.repeat(32)}`
const REWARD = 1_000_001n
const [CREATOR, WORKER, STRANGER, ARBITER] = [1, 2, 3, 9] as const
const [OPEN, CLAIMED, COMPLETED, DISPUTED, RESOLVED] = [0, 1, 2, 3, 4] as const

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`contract Tasks on ${name}`, () => {
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
    /** Steps up to a claimed, completed or disputed task with the number 1. */
    const steps = {
      create: (durationSec = 3600) => {
        return send(CREATOR, 'createTask', ['count the trees', REWARD, BigInt(chain.nowSec() + durationSec), '0x01'], REWARD)
      },
      claim: () => send(WORKER, 'claimTask', [1n, AGENT]),
      complete: () => send(WORKER, 'completeTask', [1n, RESULT]),
      dispute: () => send(CREATOR, 'disputeTask', [1n, 'there are more']),
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

    it('creates a task with the event as documented, and holds the reward', async () => {
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

    it('refuses a reward that is not what was sent, deadlines out of reach, and texts that are too long', async () => {
      const deadline = BigInt(chain.nowSec() + 3600)
      assert.equal((await send(CREATOR, 'createTask', ['', 5n, deadline, '0x'], 4n)).reverted, 'RewardNotSent(5,4)')
      const late = BigInt(chain.nowSec() + 2)
      assert.equal((await send(CREATOR, 'createTask', ['', 0n, late, '0x'])).reverted, `BadDeadline(${late},${late + 31_536_000n})`)
      const far = BigInt(chain.nowSec() + 3 + 31_536_000)
      assert.equal((await send(CREATOR, 'createTask', ['', 0n, far, '0x'])).reverted, `BadDeadline(${far},${far - 1n})`)
      assert.equal((await send(CREATOR, 'createTask', ['x'.repeat(8193), 0n, deadline, '0x'])).reverted, 'TextTooLong(8193,8192)')
      assert.equal((await send(CREATOR, 'createTask', ['', 0n, deadline, `0x${'00'.repeat(8193)}`])).reverted, 'TextTooLong(8193,8192)')
    })

    it('is claimed by the owner of a staked agent only, once, until the deadline', async () => {
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

    it('pays the agent when the creator accepts', async () => {
      await reach('completed')
      assert.deepEqual(await status(1n), [COMPLETED, address(WORKER), RESULT])
      assert.deepEqual(events(await send(CREATOR, 'acceptTask', [1n])), [
        { eventName: 'TaskResolved', taskId: 1n, toAgent: REWARD, toCreator: 0n },
      ])
      assert.deepEqual(await status(1n), [RESOLVED, address(WORKER), RESULT])
      assert.deepEqual(events(await send(WORKER, 'withdraw', [])), [{ eventName: 'Withdrawn', to: address(WORKER), amount: REWARD }])
      assert.equal(await chain.reader.getBalance({ address: contracts.tasks }), 0n)
      assert.equal((await send(WORKER, 'withdraw', [])).reverted, 'NothingToWithdraw()')
    })

    it('anyone can have the agent paid once the review period is over, and not before', async () => {
      await reach('completed')
      const reviewUntil = chain.nowSec() + TASK_PERIODS.reviewSec
      assert.equal((await send(STRANGER, 'acceptTask', [1n])).reverted, `TooEarly(${reviewUntil + 1})`)
      chain.advance(TASK_PERIODS.reviewSec)
      assert.equal((await steps.dispute()).reverted, `DeadlinePassed(${reviewUntil})`)
      assert.equal((await send(STRANGER, 'acceptTask', [1n])).reverted, null)
      assert.equal(await read('balanceOf', [address(WORKER)]), REWARD)
    })

    it('is completed by its agent only, with a result, in time', async () => {
      await reach('claimed')
      assert.equal((await send(STRANGER, 'completeTask', [1n, RESULT])).reverted, `NotTheAgent(${address(WORKER)})`)
      assert.equal((await send(WORKER, 'completeTask', [1n, NO_HASH])).reverted, 'ResultHashIsZero()')
      chain.advance(3600)
      assert.match((await steps.complete()).reverted ?? '', /^DeadlinePassed/)
    })

    it('goes back to its creator when cancelled, or when the deadline passed without a result', async () => {
      await reach('open')
      assert.equal((await send(STRANGER, 'cancelTask', [1n])).reverted, `NotTheCreator(${address(CREATOR)})`)
      assert.match((await send(STRANGER, 'refundTask', [1n])).reverted ?? '', /^TooEarly/)
      assert.deepEqual(events(await send(CREATOR, 'cancelTask', [1n])), [
        { eventName: 'TaskResolved', taskId: 1n, toAgent: 0n, toCreator: REWARD },
      ])
      assert.deepEqual(await status(1n), [RESOLVED, NOBODY, NO_HASH])
      await steps.create(100)
      await send(WORKER, 'claimTask', [2n, AGENT])
      assert.equal((await send(CREATOR, 'cancelTask', [2n])).reverted, `WrongStatus(2,${CLAIMED})`)
      chain.advance(100)
      assert.equal((await send(STRANGER, 'refundTask', [2n])).reverted, null)
      assert.equal(await read('balanceOf', [address(CREATOR)]), 2n * REWARD)
      assert.equal((await send(STRANGER, 'refundTask', [2n])).reverted, `WrongStatus(2,${RESOLVED})`)
    })

    it('a dispute is ruled on by the arbiter, who can divide the reward and no more', async () => {
      await reach('disputed')
      assert.deepEqual(await status(1n), [DISPUTED, address(WORKER), RESULT])
      assert.equal((await send(CREATOR, 'resolveTask', [1n, 0n])).reverted, `NotTheArbiter(${address(ARBITER)})`)
      assert.equal((await send(ARBITER, 'resolveTask', [1n, REWARD + 1n])).reverted, `ShareTooLarge(${REWARD + 1n},${REWARD})`)
      assert.deepEqual(events(await send(ARBITER, 'resolveTask', [1n, 1n])), [
        { eventName: 'TaskResolved', taskId: 1n, toAgent: 1n, toCreator: REWARD - 1n },
      ])
    })

    it('a dispute nobody ruled on ends with half for each side', async () => {
      await reach('disputed')
      chain.advance(TASK_PERIODS.arbitrationSec)
      assert.equal((await send(ARBITER, 'resolveTask', [1n, REWARD])).reverted, null)
      assert.equal(await read('balanceOf', [address(WORKER)]), REWARD / 2n)
      assert.equal(await read('balanceOf', [address(CREATOR)]), REWARD - REWARD / 2n)
    })

    it('only the creator disputes, and only what was completed', async () => {
      await reach('claimed')
      assert.equal((await steps.dispute()).reverted, `WrongStatus(1,${CLAIMED})`)
      await steps.complete()
      assert.equal((await send(WORKER, 'disputeTask', [1n, ''])).reverted, `NotTheCreator(${address(CREATOR)})`)
    })
  })
}

describe('contract Tasks', () => {
  it('has the functions and the event as documented', () => {
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
