import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Address, type Hex, pad, parseEventLogs, toHex } from 'viem'
import { CONTRACT_CHAINS, type ContractChain, type Outcome } from '../support/contract-chain.ts'
import { agentsAbi, deployTaskContracts, STAKE, tasksAbi } from '../support/task-contracts.ts'

const ARBITER = 4
const PROPER: Readonly<Record<string, number>> = { claimTask: 1, applyForTask: 1, completeTask: 1, withdraw: 1, resolveTask: ARBITER }
const CREATOR = 3
const RESULT: Hex = `0x${'22'.repeat(32)}`
const AGENTS = [pad(toHex(1)), pad(toHex(2))] as const
/** -1 stands for a missing task. */
const FOLLOWS: Readonly<Record<number, readonly number[]>> = { [-1]: [0], 0: [1, 4], 1: [0, 2, 4], 2: [3, 4], 3: [4], 4: [] }

const ONWARDS = [
  ['claimTask', 'claimTask', 'claimTask', 'cancelTask', 'chooseAgent', 'applyForTask'],
  ['completeTask', 'completeTask', 'refundTask', 'reopenTask', 'chooseAgent'],
  ['disputeTask', 'acceptTask'],
  ['resolveTask'],
  ['createTask', 'createTask', 'createTaskFor'],
] as const
const NAMES = [...new Set(ONWARDS.flat()), 'withdraw'] as const

function mostlyNull<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
}

const step = fc.record({
  stranger: mostlyNull(fc.integer({ min: 1, max: ARBITER })),
  waitSec: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 700, 1300),
  back: fc.integer({ min: 0, max: 2 }),
  name: mostlyNull(fc.constantFrom(...NAMES)),
  pick: fc.nat(11),
  agent: fc.constantFrom(AGENTS[0], AGENTS[0], AGENTS[0], AGENTS[1]),
  amountWei: fc.bigInt(0n, 99n),
  durationSec: fc.constantFrom(60, 4000, 4000),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function walk(chain: ContractChain, steps: readonly Step[], seen: Set<string>): Promise<readonly Outcome[]> {
  const { tasks, agents, enlist, stake } = await deployTaskContracts(chain, ARBITER)
  for (const [index, agentId] of AGENTS.entries()) {
    await enlist(index + 1, agentId)
    await stake(index + 1, agentId, 2n * STAKE)
  }
  const read = (functionName: string, args: readonly unknown[]) =>
    chain.reader.readContract({ address: tasks, abi: tasksAbi, functionName, args })
  const statuses = async () => {
    const all = Array.from({ length: made }, async (_, index) => (await read('getTaskStatus', [BigInt(index + 1)])) as [number, Address])
    return (await Promise.all(all)).map(([status]) => status)
  }
  const outcomes: Outcome[] = []
  let made = 0
  let held = 0n
  let before: number[] = []
  for (const current of steps) {
    chain.advance(current.waitSec)
    const id = Math.max(made - current.back, 1)
    const onwards = ONWARDS[before[id - 1] ?? 4] as readonly string[]
    const name = current.name ?? (onwards[current.pick % onwards.length] as string)
    const from = current.stranger ?? PROPER[name] ?? CREATOR
    const { args, valueWei } = argumentsOf(name, id, current, chain.nowSec() + current.waitSec)
    const outcome = await chain.send({ from, to: tasks, abi: tasksAbi, name, args, valueWei })
    outcomes.push(outcome)
    const logs = parseEventLogs({ abi: tasksAbi, logs: outcome.logs as never }) as unknown as {
      eventName: string
      args: { reward?: bigint; amount?: bigint }
    }[]
    for (const { eventName, args: values } of logs) {
      if (eventName === 'TaskCreated') {
        made++
        held += values.reward as bigint
      }
      if (eventName === 'Withdrawn') held -= values.amount as bigint
    }
    const after = outcome.reverted === null ? await statuses() : before
    for (const [index, status] of after.entries()) {
      const was = before[index] ?? -1
      if (status !== was) seen.add(`${was} to ${status}`)
      assert.ok(status === was || FOLLOWS[was]?.includes(status), `task ${index + 1} went from ${was} to ${status} by ${name}`)
    }
    before = after
    assert.equal(await chain.reader.getBalance({ address: tasks }), held, `after ${name}`)
    if (outcome.reverted === null) await lockedIsClaimed(name)
  }
  assert.equal(await owed(), held)
  return outcomes

  async function lockedIsClaimed(name: string): Promise<void> {
    const all = await Promise.all(Array.from({ length: made }, (_, index) => read('getTask', [BigInt(index + 1)])))
    for (const { status, outcome } of all as { status: number; outcome: number }[]) {
      assert.equal(outcome !== 0, status === 4, `a task has an outcome exactly when it has ended, after ${name}`)
    }
    const claims = (all as { status: number; agentId: Hex }[]).filter(({ status }) => status >= 1 && status <= 3)
    for (const agentId of AGENTS) {
      const locked = await chain.reader.readContract({ address: agents, abi: agentsAbi, functionName: 'lockedStakeOf', args: [agentId] })
      assert.equal(locked, STAKE * BigInt(claims.filter((task) => task.agentId === agentId).length), `after ${name}`)
    }
  }

  async function owed(): Promise<bigint> {
    let sum = 0n
    for (let id = 1; id <= made; id++) {
      const task = (await read('getTask', [BigInt(id)])) as { status: number; reward: bigint }
      if (task.status !== 4) sum += task.reward
    }
    for (const { address } of chain.accounts) sum += (await read('balanceOf', [address])) as bigint
    return sum
  }
}

function argumentsOf(name: string, taskId: number, { agent, amountWei, durationSec }: Step, nowSec: number) {
  const id = BigInt(taskId)
  const others: Readonly<Record<string, readonly unknown[]>> = {
    createTask: ['', amountWei, BigInt(nowSec + durationSec), '0x'],
    createTaskFor: ['', amountWei, BigInt(nowSec + durationSec), '0x', agent, amountWei],
    claimTask: [id, agent],
    applyForTask: [id, agent],
    chooseAgent: [id, agent],
    completeTask: [id, RESULT],
    disputeTask: [id, 'no'],
    resolveTask: [id, amountWei / 4n],
    withdraw: [],
  }
  return { args: others[name] ?? [id], valueWei: name.startsWith('createTask') ? amountWei : 0n }
}

describe('the contract Tasks in random walks', () => {
  let chains: ContractChain[]
  before(async () => {
    chains = await Promise.all(CONTRACT_CHAINS.map(({ open }) => open()))
  })
  after(() => Promise.all(chains.map((chain) => chain.stop())))

  const seen = new Set<string>()

  it('makes only valid transitions, accounts for every wei, and gives the same receipts on both chains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 60 }), async (steps) => {
        const [own, other] = chains as [ContractChain, ContractChain]
        const outcomes = await walk(own, steps, seen)
        const again = await walk(other, steps, seen)
        assert.deepEqual(again.map(comparable), outcomes.map(comparable))
      }),
      { numRuns: 6, seed: 20_261_121 },
    )
    const all = Object.entries(FOLLOWS).flatMap(([from, to]) => to.map((next) => `${from} to ${next}`))
    assert.deepEqual([...seen].sort(), all.sort(), 'every transition was reached')
  })
})

/** Removes times, because the chains differ in age. */
function comparable({ gasUsed, reverted, logs }: Outcome) {
  return { gasUsed, reverted: reverted?.replace(/\(\d{10}.*\)/, ''), topics: logs.map(({ topics }) => topics) }
}
