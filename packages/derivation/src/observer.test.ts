import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

function reasonsOf(source: string): string[] {
  const unions = source.slice(source.indexOf('export type DropReason'), source.indexOf('export interface DropEvent'))
  return [...unions.matchAll(/^ {2}\| '([a-z0-9-]+)'/gm)].map(([, reason]) => reason as string)
}

describe('drop reasons', () => {
  const reasons = reasonsOf(read('./observer.ts'))

  it('are listed in the README by stage, those of the batch rules by prefix', () => {
    const readme = read('../README.md')
    const missing = reasons.filter((reason) => !/^(span-)?batch-/.test(reason) && !readme.includes(`\`${reason}\``))
    assert.ok(reasons.length > 40)
    assert.deepEqual(missing, [])
  })
})
