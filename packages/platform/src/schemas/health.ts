import { z } from 'zod'

export const apiHealth = z
  .object({ status: z.literal('healthy'), version: z.string(), timestamp: z.iso.datetime() })
  .meta({ id: 'ApiHealth' })

export const serviceHealth = z
  .object({
    status: z.literal('healthy'),
    environment: z.string(),
    version: z.string(),
    uptime: z.string().describe('Time since the process started, such as 1d 2h 3m 4s'),
  })
  .meta({ id: 'ServiceHealth' })
