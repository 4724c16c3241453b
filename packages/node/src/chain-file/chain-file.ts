/** Chain files are RLP blocks, compressed if the name ends in .gz. */
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { cutExportedBlocks, type ExecutionNode, exportChain, type ImportedSoFar, type ImportOutcome, importChain } from '@keelson/execution'
import { type Clock, counted, type Logger } from '@keelson/primitives'
import { createProgressLog } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'

export interface ChainFileDependencies {
  readonly node: ExecutionNode
  readonly clock: Clock
  readonly log: Logger
  readonly signal: AbortSignal
}

const isPacked = (file: string) => file.endsWith('.gz')

/** Skips known blocks. Throws AssemblyError. */
export async function importChainFile(file: string, deps: ChainFileDependencies): Promise<ImportOutcome> {
  const size = await sizeOf(file)
  const { node, clock, log, signal } = deps
  const began = clock.monotonicMs()
  const progress = createProgressLog('importing, in bytes of the file', clock, log)
  const figures = ({ imported, skipped, gasUsed, last }: ImportedSoFar) => {
    const elapsedSec = Math.max(0.001, (clock.monotonicMs() - began) / 1000)
    return {
      number: last?.number ?? null,
      imported,
      skipped,
      blocksPerSec: Number((imported / elapsedSec).toFixed(1)),
      megagasPerSec: Number((Number(gasUsed) / 1e6 / elapsedSec).toFixed(1)),
    }
  }
  const stream = createReadStream(file)
  const outcome = await importChain(node, cutExportedBlocks(readBlocks(file, stream)), {
    signal,
    onBlock: (soFar) => progress.note(stream.bytesRead, size, figures(soFar)),
  })
  const head = node.chain.label('unsafe')
  log.info('imported', { ...figures(outcome), head: head.header.number, hash: head.hash })
  explainStop(file, outcome)
  return outcome
}

/** Returns the number of exported blocks. Throws AssemblyError. */
export async function exportChainFile(
  file: string,
  range: { readonly from: number; readonly to: number | null },
  { node, clock, log, signal }: ChainFileDependencies,
): Promise<number> {
  const head = node.chain.label('unsafe').header.number
  const to = range.to ?? head
  if (to > head || range.from > to) {
    const reason = range.from > to ? 'the first comes after the last' : `the chain goes from 0 to ${head}`
    throw new AssemblyError('node/usage', `cannot export blocks ${range.from} to ${to}: ${reason}`)
  }
  const progress = createProgressLog('exporting', clock, log)
  let written = 0
  async function* blocks(): AsyncIterable<Uint8Array> {
    for await (const raw of exportChain(node.chain, range.from, to)) {
      yield raw
      written++
      progress.note(range.from + written - 1, to)
    }
  }
  const unfinished = `${file}.unfinished`
  // Never follows a link.
  await rm(unfinished, { force: true })
  try {
    await pipeline(
      Readable.from(blocks()),
      isPacked(file) ? createGzip() : new PassThrough(),
      createWriteStream(unfinished, { flags: 'wx' }),
      { signal },
    )
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    if (!signal.aborted) throw error
    throw new AssemblyError('node/interrupted', `the export was interrupted after ${counted(written, 'block')}; nothing was kept`)
  }
  log.info('exported', { from: range.from, to, file })
  return written
}

/** Throws AssemblyError when it is no file or cannot be read. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw new AssemblyError('node/usage', `cannot read ${file}: ${cause.message}`, {}, { cause })
  })
  if (!found.isFile()) throw new AssemblyError('node/usage', `${file} is not a file`)
  return found.size
}

async function* readBlocks(file: string, stream: ReadStream): AsyncIterable<Uint8Array> {
  if (!isPacked(file)) {
    yield* stream
    return
  }
  const unpacked = createGunzip()
  stream.on('error', (error) => unpacked.destroy(error)).pipe(unpacked)
  try {
    yield* unpacked
  } catch (cause) {
    throw new AssemblyError('node/usage', `${file} cannot be unpacked: ${(cause as Error).message}`, {}, { cause })
  } finally {
    stream.destroy()
  }
}

function explainStop(file: string, { stop, last, imported }: ImportOutcome): void {
  const kept = last === null ? 'nothing was imported' : `blocks up to ${last.number} (${last.hash}) are in, ${imported} of them new`
  switch (stop.kind) {
    case 'end':
      return
    case 'interrupted':
      throw new AssemblyError('node/interrupted', `the import was interrupted; ${kept}. The same command continues from there`)
    case 'invalid':
      throw new AssemblyError('node/import', `block ${stop.number} (${stop.hash}) is invalid: ${stop.reason}; ${kept}`)
    case 'unknown-parent':
      throw new AssemblyError(
        'node/import',
        `block ${stop.number} (${stop.hash}) has a parent this chain does not know (${stop.parentHash}); ${kept}. Import the blocks before it first, and check that ${file} is of this network`,
      )
    case 'unsupported-fork':
      throw new AssemblyError('node/import', `block ${stop.number} (${stop.hash}) cannot be executed: ${stop.reason}; ${kept}`)
    case 'damaged':
      throw new AssemblyError('node/import', `${file} is damaged: ${stop.reason}; ${kept}`)
  }
}
