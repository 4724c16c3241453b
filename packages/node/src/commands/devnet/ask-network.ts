import { resolve } from 'node:path'
import { type DevnetFile, runTaskOffline, type TaskRequest } from '@keelson/devnet'
import { asCalled, createSystemClock } from '@keelson/runtime'
import { askControl, connectControl } from '../../control/control-client.ts'
import { readReadyDevnet } from '../../doctor/running-devnet.ts'
import { sayIfInterrupted } from '../interrupt-notice.ts'

/** Works on the folder itself while no network runs on it. Throws DevnetError, AssemblyError `node/control`. */
export async function askNetwork(dataDir: string, request: TaskRequest): Promise<{ readonly running: boolean; readonly result: unknown }> {
  const folder = resolve(dataDir)
  const socket = await connectControl(folder)
  if (socket === null) return { running: false, result: await runTaskOffline(request, folder, createSystemClock()) }
  const look = asCalled('devnet status', { devnet: dataDir })
  sayIfInterrupted(`the network continues with the ${request.task} without this command; look with: ${look}`)
  return { running: true, result: await askControl(socket, request, () => undefined) }
}

/** Throws AssemblyError `node/usage`, `node/starting`. */
export function readRunningDevnet(dataDir: string): DevnetFile {
  return readReadyDevnet(resolve(dataDir), 'or name its folder with --data-dir')
}
