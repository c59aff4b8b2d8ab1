import { describeSchema } from './jsonSchema.ts';

process.stdout.write(`${JSON.stringify(describeSchema(), null, 2)}\n`);
