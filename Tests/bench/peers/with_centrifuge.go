// A room server on centrifuge: PORT DELTA_BYTES [CERTIFICATE]. A connection is subscribed to the
// channel of its path, a tap is an RPC, and its delta is published to the channel.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/centrifugal/centrifuge"
)

type rooms struct {
	mutex      sync.Mutex
	revisions  map[string]int
	deltaBytes int
}

// delta is as long as pickerd's for the same tap.
func (rooms *rooms) delta(path string, tap []byte) ([]byte, error) {
	var parsed struct{ Row int }
	if err := json.Unmarshal(tap, &parsed); err != nil {
		return nil, err
	}
	rooms.mutex.Lock()
	rooms.revisions[path]++
	revision := rooms.revisions[path]
	rooms.mutex.Unlock()
	head := fmt.Sprintf(`{"type":"delta","revision":%d,"changes":[{"change":"row","column":0,`+
		`"row":%d,"text":"`, revision, parsed.Row)
	text := append([]byte(head), bytes.Repeat([]byte("x"), rooms.deltaBytes-len(head)-4)...)
	return append(text, `"}]}`...), nil
}

// withPath makes the path of the request the name of the connection's user.
func withPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		credentials := &centrifuge.Credentials{UserID: request.URL.Path}
		context := centrifuge.SetCredentials(request.Context(), credentials)
		next.ServeHTTP(response, request.WithContext(context))
	})
}

// subscribed accepts a connection and subscribes it to its channel.
func subscribed(
	ctx context.Context, _ centrifuge.ConnectEvent,
) (centrifuge.ConnectReply, error) {
	credentials, _ := centrifuge.GetCredentials(ctx)
	return centrifuge.ConnectReply{
		Data:          []byte(`{"type":"welcome"}`),
		Subscriptions: map[string]centrifuge.SubscribeOptions{credentials.UserID: {}},
	}, nil
}

func main() {
	deltaBytes, _ := strconv.Atoi(os.Args[2])
	rooms := &rooms{revisions: map[string]int{}, deltaBytes: deltaBytes}
	node, err := centrifuge.New(centrifuge.DefaultConfig)
	if err != nil {
		log.Fatal(err)
	}
	node.OnConnecting(subscribed)
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnRPC(func(event centrifuge.RPCEvent, done centrifuge.RPCCallback) {
			delta, err := rooms.delta(client.UserID(), event.Data)
			if err == nil {
				_, err = node.Publish(client.UserID(), delta)
			}
			done(centrifuge.RPCReply{}, err)
		})
	})
	if err := node.Run(); err != nil {
		log.Fatal(err)
	}
	http.Handle("/", withPath(centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		ReadBufferSize: 1024, UseWriteBufferPool: true,
	})))
	address := "127.0.0.1:" + os.Args[1]
	if len(os.Args) > 3 {
		log.Fatal(http.ListenAndServeTLS(address, os.Args[3], os.Args[3], nil))
	}
	log.Fatal(http.ListenAndServe(address, nil))
}
