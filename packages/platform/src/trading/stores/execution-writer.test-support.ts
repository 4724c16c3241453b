import { createSilentLogger, createSystemClock } from '@keelson/runtime'
import { openDatabase } from '../../storage/open-database.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { storesOver } from './store-engines.test-support.ts'
import { lifeOf } from './stored-records.test-support.ts'

const clock = createSystemClock()
const { db } = await openDatabase(
  { dataDir: process.argv[2] as string, databaseUrl: null, maxConnections: 1 },
  { clock, log: createSilentLogger() },
)
const { executions, audit } = storesOver(db)
const log = new AuditLog(audit, clock)
for (let i = 0; ; i++) {
  for (const record of lifeOf(`e${i}`)) {
    await log.record(record, record.state, { version: record.version })
    if (record.version === 1) await executions.open(record, 0)
    else if ((await executions.save(record)) !== 'saved') throw new Error(`${record.id} was not saved`)
    process.stdout.write(`${record.id} ${record.version}\n`)
  }
}
