import type { Address } from '@keelson/primitives'
import { asCalled, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { createKeyFolder, placeOf, readUptimes } from '@keelson/validator'
import { defineCommand } from '../../../command.ts'
import { AssemblyError } from '../../../errors.ts'
import { printResult, validatorFolder } from '../validator-folder.ts'
import { validatorFacts, validatorLines } from './describe-validator.ts'
import { openStaking } from './open-staking.ts'
import { chainOptions, keyFolderOption } from './staking-options.ts'

const STALE_SEC = 60

export const validatorStatusCommand = defineCommand({
  name: 'validator status',
  summary: 'stake, rank, duty, uptime, silence and rewards of validators, as the chain has them',
  usage: '[--key ADDRESS[,ADDRESS] | --data-dir FOLDER] [options]',
  options: {
    ...chainOptions,
    keys: optionalOption<readonly Address[]>({
      key: 'validator.keys',
      flag: 'key',
      parse: parse.list(parse.address),
      description: 'Addresses of signing keys. Default: the keys in --data-dir, else all that are active.',
    }),
    dataDir: keyFolderOption,
  },
  async run(values) {
    const { chain, symbol, clock, blockTimeSec } = await openStaking(values)
    const terms = await chain.terms()
    const head = await chain.head()
    const ranking = await chain.ranking(head.number)
    const keys = values.keys ?? (values.dataDir === null ? ranking.map(({ key }) => key) : await keysIn(values.dataDir))
    const positions = await chain.positions(keys, head.number, placeOf(head.number, terms).epoch)
    const events = await chain.events(keys, 0, head.number)
    const firstEpoch = await chain.firstAttestedEpoch(0, head.number)
    const question = { keys, terms, blockTimeSec, head: head.number, events, firstEpoch, sinceStart: true }
    const uptimes = await readUptimes(chain, question)
    const inputs = positions.keys.map((position) => ({
      position,
      positions,
      ranking,
      events,
      uptimes: uptimes.get(position.key) ?? [],
      terms,
      head,
      blockTimeSec,
      symbol,
    }))
    const facts = inputs.map(validatorFacts)
    const ageSec = Math.max(0, Math.floor(clock.nowMs() / 1000) - head.timestampSec)
    const document = { block: head.number, blockAgeSec: ageSec, epoch: placeOf(head.number, terms).epoch, validators: facts }
    const lines = facts.flatMap((fact, index) => validatorLines(fact, inputs[index] as (typeof inputs)[number]))
    printResult(
      values.json,
      JSON.parse(JSON.stringify(document, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))),
      [...staleLines(head.number, ageSec), ...(lines.length === 0 ? ['no validator is active, and none was named: --key ADDRESS'] : lines)],
    )
    return 0
  },
})

function staleLines(block: number, ageSec: number): readonly string[] {
  if (ageSec <= STALE_SEC) return []
  return [
    `the newest block, ${block}, is ${ageSec} s old: the node is behind, the chain has stopped, or this clock is not the network's (--clock.offset-ms, for a development network that paused its clockOffsetMs); the times below count from when it goes on`,
  ]
}

async function keysIn(dataDir: string): Promise<readonly Address[]> {
  const folder = validatorFolder(dataDir).keys
  const keys = (await createKeyFolder(folder).list()).map(({ address }) => address)
  if (keys.length === 0)
    throw new AssemblyError('node/usage', `there is no key in ${folder}: make one with ${asCalled('validator keys new')}`)
  return keys
}
