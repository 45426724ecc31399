package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Guarded are the keys that decide over what is done, run, trusted, and asked from
// outside, where they are not as by default, each with a digest of its value. The items
// of lists go by their id.
func Guarded(c *Config) map[string]string {
	all, usual := guarded(c), guarded(Default())
	for key, value := range all {
		if sum := sha256.Sum256([]byte(value)); usual[key] == value {
			delete(all, key)
		} else {
			all[key] = hex.EncodeToString(sum[:8])
		}
	}
	return all
}

// Touched names, without their values, the keys in which two configurations differ
// of those that are Guarded.
func Touched(was, is map[string]string) []string {
	touched := map[string]bool{}
	for _, keys := range []map[string]string{was, is} {
		for key := range keys {
			if was[key] != is[key] {
				// Of an action, and of a program that is a source, it is enough to say which.
				parts := strings.Split(key, ".")
				if most := map[string]int{"actions": 2, "senses": 3}[parts[0]]; most > 0 && !strings.HasSuffix(key, ".trust") {
					parts = parts[:min(len(parts), most)]
				}
				touched[strings.Join(parts, ".")] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(touched))
}

// guarded are those keys, with their values.
func guarded(c *Config) map[string]string {
	all, named := map[string]string{}, map[string]string{}
	root().each("", reflect.ValueOf(*c), func(key string, v reflect.Value, f field) bool {
		item := strings.LastIndexByte(key, ']') + 1
		name := named[key[:item]] + key[item:]
		if item == len(key) {
			parent := key[:strings.LastIndexByte(key, '[')]
			outer := strings.LastIndexByte(parent, ']') + 1
			name = named[parent[:outer]] + parent[outer:]
			if id, ok := f.shape.field("id"); ok {
				name += "." + v.FieldByIndex(id.index).String()
			}
			named[key] = name
		}
		within := func(part string) bool { return strings.HasPrefix(name+".", part+".") }
		if f.shape.kind == object || f.shape.kind == items {
			return true
		}
		if within("actions") || within("senses.exec") || within("api") || within("notify") || within("budget.notices_per_day") || within("approve") || within("memory") || within("escalation.strangers") || strings.HasSuffix(name, ".trust") {
			if v = reflect.Indirect(v); v.Kind() == reflect.Slice {
				all[name] = fmt.Sprintf("%q", v) // where each item ends
			} else {
				all[name] = fmt.Sprint(v)
			}
		}
		return true
	})
	return all
}
