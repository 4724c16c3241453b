/** Runs op-exec-blocks in a browser. */
import assert from 'node:assert/strict'
import { bundlePage } from '../../support/browser/bundle-page.ts'
import { choosePageRunner, executeInContext, type PageRunner } from '../../support/browser/run-in-page.ts'
import type { ConformanceGroup } from '../group.ts'
import type { JudgedBlockVector } from './op-exec-blocks.ts'
import { asText, statedReceipt } from './op-exec-receipts.ts'

const FOLDER = 'op-exec-blocks/'

let prepared: Promise<{ readonly script: string; readonly runner: PageRunner }> | null = null

function prepare() {
  prepared ??= bundlePage().then((script) => {
    const runner = choosePageRunner()
    console.error(`op-exec-browser: blocks run in ${runner.place}`)
    return { script, runner }
  })
  return prepared
}

async function run(vector: JudgedBlockVector): Promise<void> {
  const { script, runner } = await prepare()
  const { rollupConfig, parentHash, parentHeader, payloadAttributes, witness } = vector
  const json = JSON.stringify({ rollupConfig, parentHash, parentHeader, payloadAttributes, witness })
  const { header, receipts } = vector.derivedExpected
  const { stateRoot } = header as { readonly stateRoot: string }
  const expected = { blockHash: vector.expectedBlockHash, stateRoot, receipts: asText(receipts.map(statedReceipt)), error: null }
  assert.deepEqual(await runner.execute(script, json), expected)
  assert.deepEqual(await executeInContext(script, json), expected)
}

export const opExecBrowser: ConformanceGroup = {
  name: 'op-exec-browser',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json(\.gz)?$/), (path) => [
      { id: path.slice(FOLDER.length).replace(/\.json(\.gz)?$/, ''), run: () => run(folder.json<JudgedBlockVector>(path)) },
    ]),
}
