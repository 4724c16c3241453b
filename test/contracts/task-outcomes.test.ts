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
  describe(`the outcome of a task in the contract Tasks on ${name}`, () => {
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
    async function endsWith(last: Outcome, ending: object, expected: number): Promise<void> {
      const events = parseEventLogs({ abi: tasksAbi, logs: last.logs as never }) as unknown as { eventName: string; args: object }[]
      assert.equal(events.at(-1)?.eventName, 'TaskResolved')
      assert.deepEqual({ eventName: events.at(-2)?.eventName, ...events.at(-2)?.args }, { taskId: 1n, ...ending })
      const [status] = (await read('getTaskStatus')) as readonly [number]
      assert.deepEqual([status, await outcome()], [RESOLVED, expected])
    }

    it('is completed when the result was accepted or a ruling awarded part of the reward', async () => {
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

    it('is not completed for a cancelled task', async () => {
      await create()
      await endsWith(await send(CREATOR, 'cancelTask', [1n]), { eventName: 'TaskCancelled', creator: address(CREATOR) }, CANCELLED)
    })

    it('is expired without a result by the deadline, whether the task was claimed or not', async () => {
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

    it('is refunded when a ruling or a silent arbiter awarded nothing', async () => {
      await create()
      await claim()
      await complete()
      await dispute()
      chain.advance(TASK_PERIODS.arbitrationSec)
      await endsWith(await send(STRANGER, 'resolveTask', [1n, REWARD]), { eventName: 'TaskRefunded', agent: address(WORKER) }, REFUNDED)
    })

    it('is pending until the task ends, also during a review or dispute', async () => {
      await assert.rejects(outcome(), /UnknownTask/)
      for (const step of [create, claim, complete, dispute]) {
        await step()
        assert.equal(await outcome(), PENDING)
      }
    })
  })
}
