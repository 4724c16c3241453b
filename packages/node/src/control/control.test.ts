import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '@keelson/primitives'
import type { Service } from '@keelson/runtime'
import { askControl, connectControl } from './control-client.ts'
import { createControlServer } from './control-server.ts'
import { controlSocketPath, MAX_LINE_BYTES, readLines } from './control-socket.ts'

const ignore = () => undefined
const LOG: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => LOG }

describe('control socket', () => {
  let dataDir: string
  let server: Service
  let ended: Promise<void>
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'keelson-control-'))
    let over = ignore as () => void
    ended = new Promise((resolve) => {
      over = resolve
    })
    server = createControlServer({
      dataDir,
      log: LOG,
      async run({ task, params }, { signal, progress }) {
        if (task === 'fail') throw new Error('it failed')
        if (task === 'nothing') return undefined
        progress({ at: 1 })
        if (task !== 'wait') return { task, params }
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            over()
            reject(new Error('gone'))
          }),
        )
      },
    })
    await writeFile(controlSocketPath(dataDir), '')
    await server.start(new AbortController().signal)
  })
  afterEach(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const open = async () => {
    const socket = await connectControl(dataDir)
    assert.ok(socket !== null)
    return socket
  }

  it('carries a task, its progress and its result, or what went wrong', async () => {
    const seen: unknown[] = []
    const result = await askControl(await open(), { task: 'x', params: { n: 1 } }, (report) => seen.push(report))
    assert.deepEqual([result, seen], [{ task: 'x', params: { n: 1 } }, [{ at: 1 }]])
    await assert.rejects(askControl(await open(), { task: 'fail', params: {} }, ignore), /it failed/)
  })

  it('answers null for a task without a result', async () => {
    assert.equal(await askControl(await open(), { task: 'nothing', params: {} }, ignore), null)
  })

  it('ends a task whose asker has gone, and tells an asker when the node goes', async () => {
    const socket = await open()
    const asked = askControl(socket, { task: 'wait', params: {} }, () => socket.destroy())
    await assert.rejects(asked, /the node ended before the work did/)
    await ended
    const left = askControl(await open(), { task: 'wait', params: {} }, () => void server.stop())
    await assert.rejects(left, { code: 'node/control' })
    assert.equal(await connectControl(dataDir), null, 'no node listens any more')
  })

  it('answers garbage with an error', async () => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(controlSocketPath(dataDir), () => socket.write('{"task"\n'))
      socket.on('data', (chunk) => resolve(chunk.toString()))
    })
    assert.match(text, /"error"/)
  })

  it('lies elsewhere when the path is too long for a socket, and cuts lines that do not end', () => {
    const long = join(tmpdir(), 'x'.repeat(120))
    assert.ok(Buffer.byteLength(controlSocketPath(long)) <= 107)
    assert.notEqual(controlSocketPath(long), controlSocketPath(`${long}y`))
    const lines: string[] = []
    let cut = 0
    const take = readLines(
      (line) => lines.push(line),
      () => cut++,
    )
    for (const part of ['a', 'b\n\nc', '\n']) take(Buffer.from(part))
    take(Buffer.alloc(MAX_LINE_BYTES + 1, 'x'))
    assert.deepEqual([lines, cut], [['ab', 'c'], 1])
  })
})
