import assert from 'node:assert/strict'
import type { EvmEngine, EvmTracer } from '@keelson/evm'
import { createPureCrypto } from '@keelson/primitives'
import { createTestEngine } from '../../support/test-engine.ts'
import { Campaign, type CampaignEngine, type Difference } from './campaign.ts'
import { EngineRunner } from './engines/engine-runner.ts'
import { WitnessRunner } from './engines/witness-runner.ts'
import { shrunk } from './find-differences.ts'
import { opcodeNamed } from './program/opcodes.ts'

const MAX_SETS = 60
const honest = createTestEngine({ crypto: createPureCrypto() })

/** Charges or refunds one gas too much per execution of an opcode in a successful call. */
function mispricing(opcode: string): EvmEngine {
  const { byte } = opcodeNamed(opcode)
  return {
    name: honest.name,
    precompiles: (rules) => honest.precompiles(rules),
    open(view, env, rules) {
      let seen = 0n
      const tracer: EvmTracer = {
        step: (step) => {
          if (step.opcode === byte) seen++
        },
      }
      const session = honest.open(view, env, rules, { tracer })
      return new Proxy(session, {
        get(target, property) {
          const value: unknown = Reflect.get(target, property, target)
          if (property !== 'call') return typeof value === 'function' ? value.bind(target) : value
          return (message: Parameters<typeof session.call>[0]) => {
            seen = 0n
            const result = session.call(message)
            return result.status === 'success' && result.gasLeft >= seen ? { ...result, gasLeft: result.gasLeft - seen } : result
          }
        },
      })
    },
  }
}

async function hunt(engines: readonly CampaignEngine[]): Promise<Difference | null> {
  const campaign = new Campaign({ engines, chains: ['l1/cancun'], variants: 2, traceEvery: MAX_SETS })
  for (let seed = 1; seed <= MAX_SETS; seed++) {
    const difference = await campaign.runSet(seed)
    if (difference !== null) return difference
  }
  return null
}

describe('EVM fuzzing', function () {
  this.timeout(120_000)

  for (const opcode of ['MULMOD', 'TSTORE', 'CREATE2']) {
    it(`finds an engine that misprices ${opcode} and shrinks the case to that opcode`, async () => {
      const engines = [
        { runner: new EngineRunner('honest', honest), share: 100 },
        { runner: new EngineRunner('mispricing', mispricing(opcode)), share: 100 },
      ]
      const difference = await hunt(engines)
      assert.ok(difference !== null, 'no difference found')
      const { text, subject, lines } = await shrunk(difference, engines)
      assert.equal(subject.transactions.length, 1)
      const statements = text.split('\n').filter((line) => line.startsWith('  ') && !line.startsWith('  ='))
      assert.equal(statements.length, 1, text)
      assert.ok(statements[0]?.includes(opcode), text)
      assert.ok(
        lines.some((line) => line.includes('gasUsed')),
        lines.join('\n'),
      )
    })
  }

  it('finds witnesses that lack codes', async () => {
    const forgetful: EvmEngine = {
      name: honest.name,
      precompiles: (rules) => honest.precompiles(rules),
      open: (view, ...rest) => honest.open(Object.create(view, { usedCode: { value: () => undefined } }), ...rest),
    }
    const engines = [new EngineRunner('honest', honest), new WitnessRunner(forgetful)].map((runner) => ({ runner, share: 100 }))
    const difference = await hunt(engines)
    assert.match(difference?.lines.join() ?? '', /the witness lacks the code/)
  })

  it('does not shrink a difference into a case that an engine cannot run', async () => {
    const runner = new EngineRunner('mispricing', mispricing('PUSH1'))
    const failing: CampaignEngine['runner'] = {
      name: runner.name,
      runs: () => true,
      run(subject, options) {
        if (subject.transactions.length < 2) throw new Error('too few transactions')
        return runner.run(subject, options)
      },
    }
    const engines = [new EngineRunner('honest', honest), failing].map((each) => ({ runner: each, share: 100 }))
    const difference = await hunt(engines)
    assert.ok(difference !== null && difference.subject.transactions.length > 1)
    const { subject, lines } = await shrunk(difference, engines)
    assert.equal(subject.transactions.length, 2)
    assert.match(lines.join(), /gasUsed/)
  })

  it('finds nothing between two engines that are the same', async () => {
    const engines = ['one', 'other'].map((name) => ({ runner: new EngineRunner(name, honest), share: 100 }))
    const campaign = new Campaign({ engines, chains: ['l1/osaka', 'op/isthmus', 'l1/frontier'], variants: 2, traceEvery: 5 })
    for (let seed = 1; seed <= 10; seed++) assert.equal(await campaign.runSet(seed), null)
    assert.ok((campaign.executions.one ?? 0) > 20)
    assert.equal(campaign.executions.one, campaign.executions.other)
  })
})
