/** Booleans that decide whether money moves are never text or numbers. */
import { z } from 'zod'

/** Validation recognizes such a field by this message. */
export const STRICT_BOOLEAN = 'expected true or false, as a JSON boolean'

export const StrictBoolean = z.boolean({ error: STRICT_BOOLEAN })
