/** One shell for all pages, as an operator has. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BINARY = join(import.meta.dirname, '..', '..', 'dist', 'keelson.js')
const BLOCK_LIMIT_MS = 600_000

export interface RunbookShell {
  /** Resolves with what the commands printed. Rejects if one fails or if they take longer than 10 minutes. */
  run(text: string): Promise<string>
  close(): Promise<void>
}

export function openRunbookShell(folder: string, env: Readonly<Record<string, string>>): RunbookShell {
  const programs = join(folder, 'bin')
  mkdirSync(programs, { recursive: true })
  writeFileSync(join(programs, 'keelson'), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`, { mode: 0o755 })
  const child = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env, PATH: `${programs}:${process.env.PATH}` },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let printed = ''
  let changed: () => void = () => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    changed()
  })
  let count = 0
  child.stdin.write('exec 2>&1\n')

  return {
    async run(text) {
      const name = `block-${++count}`
      const end = `end of ${name}`
      writeFileSync(join(folder, `${name}.sh`), text)
      printed = ''
      const ended = new Promise<boolean>((resolve) => {
        changed = () => {
          if (printed.includes(`${end}\n`)) resolve(true)
        }
        exited.then(() => resolve(false))
        const timer = setTimeout(() => resolve(false), BLOCK_LIMIT_MS)
        timer.unref()
      })
      child.stdin.write(`set -e; . ./${name}.sh; set +e; echo "${end}"\n`)
      if (await ended) return printed.replace(`${end}\n`, '')
      throw new Error(`these commands ${child.exitCode === null ? 'did not end' : 'failed'}:\n${text}\nThey printed:\n${printed}`)
    },
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
