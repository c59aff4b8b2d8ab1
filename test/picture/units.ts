type Scale = readonly (readonly [number, string])[];

const SHORT: Scale = [
  [1e12, ' Tri'],
  [1e9, ' Bil'],
  [1e6, ' Mil'],
  [1e3, ' K'],
  [1, ''],
];
const SECONDS: Scale = [
  [86_400, ' days'],
  [3600, ' hours'],
  [60, ' mins'],
  [1, ' s'],
  [1e-3, ' ms'],
  [1e-6, ' µs'],
];
const BYTES: Scale = [
  [2 ** 40, ' TiB'],
  [2 ** 30, ' GiB'],
  [2 ** 20, ' MiB'],
  [2 ** 10, ' KiB'],
  [1, ' B'],
];

/** A value as Grafana writes it; without `decimals`, with at most three digits that count. */
export function formatValue(value: number, unit: string, decimals?: number): string {
  if (Number.isNaN(value)) return '';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  switch (unit) {
    case 'none':
      return rounded(value, decimals);
    case 's':
      return scaled(value, SECONDS, decimals);
    case 'ms':
      return scaled(value / 1000, SECONDS, decimals);
    case 'bytes':
      return scaled(value, BYTES, decimals);
    case 'percentunit':
      return `${rounded(value * 100, decimals)}%`;
    case 'reqps':
      return `${scaled(value, SHORT, decimals)} req/s`;
    case 'cps':
      return `${scaled(value, SHORT, decimals)} c/s`;
    default:
      if (unit.startsWith('suffix:')) return rounded(value, decimals) + unit.slice(7);
      return scaled(value, SHORT, decimals);
  }
}

function scaled(value: number, scale: Scale, decimals?: number): string {
  const fits = ([size]: readonly [number, string]): boolean => Math.abs(value) >= size;
  const base: readonly [number, string] = scale.find(([size]) => size === 1) ?? [1, ''];
  const [size, name] = value === 0 ? base : (scale.find(fits) ?? scale.at(-1) ?? base);
  return rounded(value / size, decimals) + name;
}

function rounded(value: number, decimals?: number): string {
  const size = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const usual = Number.isInteger(value) ? 0 : Math.min(8, Math.max(0, 2 - size));
  return decimals === undefined ? String(Number(value.toFixed(usual))) : value.toFixed(decimals);
}

/** Round values at which an axis of that length has marks, about `count` of them; bytes are round in another way. */
export function ticksOf(min: number, max: number, count: number, unit: string): number[] {
  const rough = (max - min) / Math.max(1, count);
  const base = unit === 'bytes' ? 2 : 10;
  const power = base ** Math.floor(Math.log(rough) / Math.log(base));
  const step = (base === 2 ? [1, 2] : [1, 2, 5, 10]).find((one) => one * power >= rough) ?? 1;
  const first = Math.ceil(min / (step * power) - 1e-9);
  const last = Math.floor(max / (step * power) + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step * power);
}
