import { createBeaconClient } from '@keelson/client'
import { createInspectionCount, L1Inspector } from '@keelson/derivation'
import { readL1ChainConfig } from '@keelson/devnet/network-files'
import {
  createLogger,
  createMetrics,
  createSystemClock,
  createSystemRandom,
  type OptionValues,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { decompress } from '../../crypto/compression.ts'
import { createKzg } from '../../crypto/kzg.ts'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import { l1Options, openL1 } from '../../l1/l1-connection.ts'
import { openRollupConfig, rollupOptions } from '../../role/rollup-option.ts'
import { renderSummary, toJsonLine, toTableLine } from './render-event.ts'
import { systemConfigAt } from './start-config.ts'

export const decodeBatchesOptions = {
  ...rollupOptions,
  ...l1Options,
  l1Beacon: option({
    key: 'l1.beacon',
    parse: parse.list(parse.httpUrl),
    default: [],
    description: 'Beacon APIs for blobs, the first asked first; without one, transactions with blobs are not read.',
  }),
  from: option({ key: 'debug.from', flag: 'from', parse: parse.integer(0), description: 'First L1 block.' }),
  to: optionalOption({ key: 'debug.to', flag: 'to', parse: parse.integer(0), description: 'Last L1 block; the head when not given.' }),
  format: option<'json' | 'table'>({
    key: 'debug.format',
    flag: 'format',
    parse: parse.oneOf('json', 'table'),
    default: 'json',
    description: 'One JSON object a line, or lines for people.',
  }),
  batcher: optionalOption({
    key: 'debug.batcher',
    flag: 'batcher',
    parse: parse.address,
    description: 'Whose transactions count at the first block; asked of the SystemConfig contract when not given.',
  }),
} as const

const EXIT_UNREADABLE = 1

/** Returns exit code 1 for an unreadable transaction. Throws AssemblyError, ClientError, DerivationError. */
export async function decodeBatches(values: OptionValues<typeof decodeBatchesOptions>): Promise<number> {
  const clock = createSystemClock()
  const random = createSystemRandom()
  const log = createLogger({ clock, name: 'debug', level: 'warn', format: 'auto' })
  const config = openRollupConfig(values, log, clock)
  if (values.to !== null && values.to < values.from)
    throw new AssemblyError('node/usage', `--to ${values.to} is before --from ${values.from}`)
  const crypto = createNativeCrypto()
  const metrics = createMetrics('keelson_debug')
  const { rpc, client: l1 } = await openL1(values, { clock, random, log, metrics }, config, readL1ChainConfig(values.network))
  const kzg = createKzg()
  try {
    const l1Origin = await l1.blockRef(values.from)
    if (l1Origin === null) throw new AssemblyError('node/usage', `the L1 at ${rpc.host} has no block ${values.from}`)
    const { systemConfig, warning } = await systemConfigAt(config, rpc, l1Origin, values.batcher)
    if (warning !== null) log.warn(warning)
    const blobs = createBeaconClient({ urls: values.l1Beacon }, { kzg, crypto, clock, random, log })
    const inspector = new L1Inspector(config, { l1Origin, systemConfig }, { l1, blobs, decompressor: { decompress }, crypto })
    const count = createInspectionCount()
    const line = values.format === 'json' ? toJsonLine : toTableLine
    const tell = async (events: Awaited<ReturnType<typeof inspector.next>>) => {
      for (const event of events ?? []) {
        count.add(event)
        await write(`${line(event)}\n`)
      }
    }
    const last = values.to ?? (await l1.blockRef('latest'))?.number ?? values.from
    for (let number = values.from; number <= last; number++) {
      const events = await inspector.next()
      if (events === null) {
        log.warn(`L1 ends at block ${inspector.l1Origin.number}`)
        break
      }
      await tell(events)
    }
    await tell(inspector.finish())
    console.error(renderSummary(count.summary(), { from: values.from, to: inspector.l1Origin.number }))
    return count.summary().unreadableTransactions > 0 ? EXIT_UNREADABLE : 0
  } finally {
    rpc.close()
    await kzg.close()
  }
}

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())))
}
