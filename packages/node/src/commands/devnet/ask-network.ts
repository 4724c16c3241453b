import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type DevnetFile, devnetFilePath, runTaskOffline, type TaskRequest } from '@keelson/devnet'
import { asCalled, createSystemClock } from '@keelson/runtime'
import { askControl, connectControl } from '../../control/control-client.ts'
import { AssemblyError } from '../../errors.ts'

/** Works on the folder itself while no network runs on it. Throws DevnetError, AssemblyError `node/control`. */
export async function askNetwork(dataDir: string, request: TaskRequest): Promise<{ readonly running: boolean; readonly result: unknown }> {
  const folder = resolve(dataDir)
  const socket = await connectControl(folder)
  if (socket === null) return { running: false, result: await runTaskOffline(request, folder, createSystemClock()) }
  return { running: true, result: await askControl(socket, request, () => undefined) }
}

/** Throws AssemblyError `node/usage` while no network is ready. */
export function readRunningDevnet(dataDir: string): DevnetFile {
  const path = devnetFilePath(resolve(dataDir))
  if (!existsSync(path)) {
    const text = `no development network is ready in ${resolve(dataDir)}: start it with ${asCalled('devnet')}, or name its folder with --data-dir`
    throw new AssemblyError('node/usage', text)
  }
  return JSON.parse(readFileSync(path, 'utf8')) as DevnetFile
}
