import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const HASH = `0x${'ab'.repeat(32)}`
const NARRATOR = join(import.meta.dirname, 'bridge', 'narrator.ts')
const RUNTIME = import.meta.resolve('@keelson/runtime')

/** Runs `steps` of a command in a process of its own, which then gets `signal`. */
function interrupt(steps: string, signal: 'SIGINT' | 'SIGTERM') {
  const script = `
    const { createNarrator, nextAfterDeposit } = await import(${JSON.stringify(NARRATOR)})
    const { sayIfInterrupted } = await import(${JSON.stringify(join(import.meta.dirname, 'interrupt-notice.ts'))})
    const { nameNetwork } = await import(${JSON.stringify(RUNTIME)})
    nameNetwork({ devnet: '/two/networks/second' })
    const hash = '${HASH}'
    ${steps}
    setInterval(() => undefined, 60_000)
    process.kill(process.pid, '${signal}')`
  const {
    status,
    signal: by,
    stderr,
  } = spawnSync(process.execPath, ['--import=tsx', '--input-type=module', '-e', script], { encoding: 'utf8' })
  return { status, by, stderr }
}

const SENT = (purpose: string) => `createNarrator(true).sent('L1', '${purpose}', hash, nextAfterDeposit('${purpose}', hash))`

describe('a command that is interrupted while its transfer is under way', () => {
  it('says that it continues, and the command that shows it on the same network', () => {
    assert.deepEqual(interrupt(SENT('deposit'), 'SIGINT'), {
      status: 130,
      by: null,
      stderr:
        `keelson: interrupted: the deposit ${HASH} was sent to L1 and continues without this command; ` +
        `see how far it is with: npx keelson bridge status ${HASH} --devnet /two/networks/second\n`,
    })
  })

  it('says after an approval that the deposit was not sent', () => {
    const { status, stderr } = interrupt(SENT('approval'), 'SIGTERM')
    assert.equal(status, 143)
    assert.match(stderr, /the approval 0x(ab)+ was sent to L1 .*; the deposit itself was not sent: run the command again\n$/)
  })

  it('ends as any other command when nothing is under way', () => {
    assert.deepEqual(interrupt('sayIfInterrupted("sent"); sayIfInterrupted(null)', 'SIGINT'), { status: null, by: 'SIGINT', stderr: '' })
  })
})
