import { resolve } from 'node:path'
import { createHttpRpcClient } from '@keelson/client'
import { DATABASE_TASKS, type DatabaseTask, type SupplyResult } from '@keelson/execution'
import {
  asCalled,
  createLogger,
  createMetrics,
  createSystemClock,
  createSystemRandom,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { defineCommand, unknownWord } from '../../command.ts'
import { AssemblyError } from '../../errors.ts'
import { readRollup } from '../../fork-times/read-rollup.ts'
import { executionFolder, runOnDirectory, taskContext } from './database-control.ts'
import { importIntoDirectory, importOptions } from './import-command.ts'
import { createProgressLine } from './progress-line.ts'
import { renderImport, renderResult } from './render-result.ts'
import { createSnapshotWriter } from './snapshot-folder.ts'
import { supplyParams } from './supply-command.ts'
import { withPortal } from './supply-on-l1.ts'

const EXIT_PROBLEMS = 1
const EXIT_INTERRUPTED = 130

const options = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder of an execution client.' }),
  json: option({ key: 'db.json', flag: 'json', parse: parse.toggle, default: false, description: 'Print the result as JSON.' }),
  full: option({ key: 'db.full', flag: 'full', parse: parse.toggle, default: false, description: 'verify: every block and account.' }),
  resume: optionalOption({
    key: 'db.resume',
    flag: 'resume',
    parse: parse.text,
    description: 'verify: go on where an earlier run stopped.',
  }),
  to: optionalOption({ key: 'db.to', flag: 'to', parse: parse.integer(0), description: 'rollback: number of the new head.' }),
  force: option({
    key: 'db.force',
    flag: 'force',
    parse: parse.toggle,
    default: false,
    description: 'rollback: also below the finalized block.',
  }),
  historyBlocks: optionalOption({
    key: 'db.historyBlocks',
    flag: 'history-blocks',
    parse: parse.integer(1),
    description: 'prune: blocks of state history to keep; only while no node runs.',
  }),
  out: optionalOption({ key: 'db.out', flag: 'out', parse: parse.path, description: 'export: folder for the snapshot.' }),
  blocks: optionalOption({
    key: 'db.blocks',
    flag: 'blocks',
    parse: parse.integer(1),
    description: 'export: newest blocks to take along; default 8192.',
  }),
  ...importOptions,
} as const

export const dbCommand = defineCommand({
  name: 'db',
  summary: 'sizes, checks and repairs of the data directory, with or without a running node',
  usage: `${[...DATABASE_TASKS, 'import'].join('|')} --data-dir FOLDER [options]`,
  options,
  takesArguments: true,
  checkArguments: (positional) => void taskOf(positional),
  async run(values, { positional }) {
    const task = taskOf(positional)
    if (task === 'export' && values.out === null) throw new AssemblyError('node/usage', 'give a folder for the snapshot: --out FOLDER')
    if (task === 'rollback' && values.to === null) throw new AssemblyError('node/usage', 'give the number of the new head: --to N')
    const clock = createSystemClock()
    const log = createLogger({ clock, name: 'db', level: 'warn', format: 'auto' })
    const tools = { random: createSystemRandom(), log, snapshotFolder: createSnapshotWriter }
    const stopped = new AbortController()
    process.once('SIGINT', () => stopped.abort())
    process.once('SIGTERM', () => stopped.abort())
    const line = createProgressLine(process.stderr, clock)
    const params = {
      full: values.full,
      resume: values.resume,
      force: values.force,
      ...(values.to === null ? {} : { to: values.to }),
      ...(values.out === null ? {} : { out: resolve(values.out) }),
      ...(values.blocks === null ? {} : { blocks: values.blocks }),
    }
    try {
      const network = task === 'supply' ? openNetwork(values, await executionFolder(values.dataDir), clock.nowMs()) : null
      if (task === 'import') {
        const imported = await importIntoDirectory(values.dataDir, values, { clock, ...tools }, taskContext(stopped.signal, line.show))
        line.end()
        console.log(values.json ? JSON.stringify(imported, null, 2) : renderImport(imported))
        return 0
      }
      const all = task === 'supply' ? { ...params, supply: { ...supplyParams(network), forL1: values.l1Rpc !== null } } : params
      const offline = { historyBlocks: values.historyBlocks, ...(network === null ? {} : { forks: network.rollup.forks }) }
      let result = await runOnDirectory(values.dataDir, task, all, offline, tools, stopped.signal, line.show)
      if (task === 'supply' && network !== null && values.l1Rpc !== null) {
        const rpc = createHttpRpcClient({ url: values.l1Rpc }, { clock, ...tools, metrics: createMetrics('keelson_db') })
        const { breathe } = taskContext(stopped.signal, line.show)
        result = await withPortal(result as SupplyResult, rpc, network.rollup, breathe).finally(() => rpc.close())
      }
      line.end()
      console.log(values.json ? JSON.stringify(result, null, 2) : renderResult(task, result))
      return (result as { ok?: boolean }).ok === false ? EXIT_PROBLEMS : 0
    } catch (error) {
      line.end()
      if (!stopped.signal.aborted) throw error
      if (task === 'import' || task === 'export') {
        console.error('stopped; the same command continues from there')
        return EXIT_INTERRUPTED
      }
      const resume = task === 'verify' ? line.resume() : null
      console.error(resume === null ? 'stopped' : `stopped; go on with --resume ${resume}`)
      return EXIT_INTERRUPTED
    }
  },
})

function openNetwork(
  { network: folder, l1Rpc }: { readonly network: string | null; readonly l1Rpc: string | null },
  dataDir: string,
  nowMs: number,
) {
  if (folder !== null) {
    const { config } = readRollup({ network: folder, allowSameChainId: true, dataDir }, Math.floor(nowMs / 1000))
    return { folder, rollup: config }
  }
  if (l1Rpc !== null) throw new AssemblyError('node/usage', 'L1 is asked about the portal that rollup.json names: give --network NETWORK')
  return null
}

const WORDS: readonly string[] = [...DATABASE_TASKS, 'import']

function taskOf([word, ...more]: readonly string[]): DatabaseTask | 'import' {
  if ((word === 'import' || isTask(word)) && more.length === 0) return word
  const usage = `${asCalled('db')} ${WORDS.join('|')} --data-dir FOLDER`
  if (word === undefined) throw new AssemblyError('node/usage', `say what to do: ${usage}`)
  if (more.length > 0) throw new AssemblyError('node/usage', `one thing at a time, "${more[0]}" is one too many: ${usage}`)
  throw new AssemblyError('node/usage', `${unknownWord(word, WORDS)}: ${usage}`)
}

function isTask(task: string | undefined): task is DatabaseTask {
  return (DATABASE_TASKS as readonly (string | undefined)[]).includes(task)
}
