import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const MOST_MS = 180_000

export async function linesUntilKilled(
  script: string,
  dataDir: string,
  lines: number,
  onLine: (count: number) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const bound = { timeout: MOST_MS, killSignal: 'SIGKILL' } as const
  const child = spawn(process.execPath, ['--import=tsx', script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'], ...bound })
  try {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const acknowledged: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line)
      await onLine(acknowledged.length)
      if (acknowledged.length === lines) child.kill('SIGKILL')
    }
    await ended
    assert.ok(acknowledged.length >= lines, `it ended after ${acknowledged.length} lines`)
    return acknowledged
  } finally {
    child.kill('SIGKILL')
  }
}
