/** Tasks: status 4 says that a task ended, and `outcome` says how. On both chains. */
import assert from 'node:assert/strict'
import { type Address, type Hex, pad, parseEventLogs, stringToHex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { deployTaskContracts, TASK_PERIODS, type TaskContracts, tasksAbi } from '../support/task-contracts.ts'

const AGENT = pad(stringToHex('weather'), { dir: 'right' })
const RESULT: Hex = `0x${'11'.repeat(32)}`
const NOBODY: Address = `0x${'00'.repeat(20)}`
const REWARD = 100n
const [CREATOR, WORKER, STRANGER, ARBITER] = [1, 2, 3, 9] as const
const RESOLVED = 4
const [PENDING, COMPLETED, CANCELLED, EXPIRED, REFUNDED] = [0, 1, 2, 3, 4] as const

for (const { name, open } of CONTRACT_CHAINS) {
  describe(`contract Tasks and how a task ended on ${name}`, () => {
    let chain: ContractChain
    let contracts: TaskContracts
    before(async () => {
      chain = await open()
    })
    after(() => chain.stop())
    beforeEach(async () => {
      contracts = await deployTaskContracts(chain, ARBITER)
      await contracts.enlist(WORKER, AGENT)
    })
    const address = (index: number) => chain.accounts[index]?.address as Address
    const read = (functionName: string) => chain.reader.readContract({ address: contracts.tasks, abi: tasksAbi, functionName, args: [1n] })
    const outcome = () => read('outcome')
    async function send(from: number, method: string, args: readonly unknown[], valueWei = 0n): Promise<Outcome> {
      const sent = await chain.send({ from, to: contracts.tasks, abi: tasksAbi, name: method, args, valueWei })
      assert.equal(sent.reverted, null, method)
      return sent
    }
    const create = () => send(CREATOR, 'createTask', ['count the trees', REWARD, BigInt(chain.nowSec() + 3600), '0x'], REWARD)
    const claim = () => send(WORKER, 'claimTask', [1n, AGENT])
    const complete = () => send(WORKER, 'completeTask', [1n, RESULT])
    const dispute = () => send(CREATOR, 'disputeTask', [1n, 'there are more'])
    /** The event that says how the task ended, which comes right before TaskResolved. */
    async function endsWith(last: Outcome, ending: object, expected: number): Promise<void> {
      const events = parseEventLogs({ abi: tasksAbi, logs: last.logs as never }) as unknown as { eventName: string; args: object }[]
      assert.equal(events.at(-1)?.eventName, 'TaskResolved')
      assert.deepEqual({ eventName: events.at(-2)?.eventName, ...events.at(-2)?.args }, { taskId: 1n, ...ending })
      const [status] = (await read('getTaskStatus')) as readonly [number]
      assert.deepEqual([status, await outcome()], [RESOLVED, expected])
    }

    it('a result that was accepted, or got a part of the reward by a ruling, is completed', async () => {
      await create()
      await claim()
      await complete()
      const ending = { eventName: 'TaskAccepted', agent: address(WORKER) }
      await endsWith(await send(CREATOR, 'acceptTask', [1n]), { ...ending, amount: REWARD }, COMPLETED)
      contracts = await deployTaskContracts(chain, ARBITER)
      await contracts.enlist(WORKER, AGENT)
      await create()
      await claim()
      await complete()
      await dispute()
      await endsWith(await send(ARBITER, 'resolveTask', [1n, 1n]), { ...ending, amount: 1n }, COMPLETED)
    })

    it('a cancelled task is not counted as completed', async () => {
      await create()
      await endsWith(await send(CREATOR, 'cancelTask', [1n]), { eventName: 'TaskCancelled', creator: address(CREATOR) }, CANCELLED)
    })

    it('a task without a result by its deadline is expired, whether someone had claimed it or not', async () => {
      await create()
      chain.advance(3600)
      await endsWith(await send(STRANGER, 'refundTask', [1n]), { eventName: 'TaskExpired', agent: NOBODY }, EXPIRED)
      contracts = await deployTaskContracts(chain, ARBITER)
      await contracts.enlist(WORKER, AGENT)
      await create()
      await claim()
      chain.advance(3600)
      await endsWith(await send(STRANGER, 'refundTask', [1n]), { eventName: 'TaskExpired', agent: address(WORKER) }, EXPIRED)
    })

    it('a result that a ruling, or the silence of the arbiter, found worth nothing is refunded', async () => {
      await create()
      await claim()
      await complete()
      await dispute()
      chain.advance(TASK_PERIODS.arbitrationSec)
      await endsWith(await send(STRANGER, 'resolveTask', [1n, REWARD]), { eventName: 'TaskRefunded', agent: address(WORKER) }, REFUNDED)
    })

    it('a task is pending until it ends, also while its result is under review or disputed', async () => {
      await assert.rejects(outcome(), /UnknownTask/)
      for (const step of [create, claim, complete, dispute]) {
        await step()
        assert.equal(await outcome(), PENDING)
      }
    })
  })
}
